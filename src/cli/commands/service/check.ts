/** `pets check`: the conformance kit's own command. */
import { checkCommand } from 'pet-adoption-conformance'
import { examples } from '../../examples.ts'
import { CommandFailed } from '../../options.ts'
import { print } from '../../output.ts'

export const check = checkCommand({ print, failure: (sentence) => new CommandFailed(sentence) }).addHelpText(
  'after',
  examples(
    'pets check http://127.0.0.1:8080/v1 --key KEY',
    'pets check https://pets.example/v1 --key KEY --json > report.json',
    'pets check matrix report.json other.json > matrix.html',
  ),
)
