/** `pets check`: the conformance kit's own command. */
import { checkCommand } from 'pet-adoption-conformance'
import { CommandFailed } from '../../options.ts'
import { print } from '../../output.ts'

export const check = checkCommand({ print, failure: (sentence) => new CommandFailed(sentence) })
