/** `pets check-client`: the conformance kit's judge of clients. */
import { clientCommand } from 'pet-adoption-conformance'
import { examples } from '../../examples.ts'
import { CommandFailed } from '../../options.ts'
import { print } from '../../output.ts'

export const checkClient = clientCommand('check-client', {
  print,
  failure: (sentence) => new CommandFailed(sentence),
}).addHelpText(
  'after',
  examples('pets check-client -- python3 client.py', 'pets check-client --case wait-list,create-cut -- node client.js'),
)
