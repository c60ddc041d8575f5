/** `pets check`, for the help: in a clone `./pets` starts the conformance kit instead, which is a package of its own. */
import { command } from '../../command.ts'
import { CommandFailed } from '../../options.ts'

export const check = command({
  about: 'Check a service against the interface with the conformance kit. Only in a clone.',
  examples: ['pets check http://127.0.0.1:8080/v1 --key KEY'],
  takes: (command) =>
    command.argument('<base-url>', 'address of the service').option('--key <key>', 'an API key of it'),
  database: false,
  action() {
    throw new CommandFailed('The conformance kit is not part of this installation. In a clone, `./pets check` runs it.')
  },
})
