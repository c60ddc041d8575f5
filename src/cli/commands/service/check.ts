/** The help of `pets check`, which in a clone starts the conformance kit instead. */
import { command } from '../../command.ts'
import { CommandFailed } from '../../options.ts'

export const check = command({
  about: 'Check a service against the API with the conformance kit. Works only in a clone.',
  examples: ['pets check http://127.0.0.1:8080/v1 --key KEY'],
  takes: (command) =>
    command
      .argument('<base-url>', 'address of the service')
      .option('--key <key>', 'API key for the service')
      .option('--yes', 'allow the creation of animals'),
  database: false,
  action() {
    throw new CommandFailed('The conformance kit is not part of this installation. In a clone, `./pets check` runs it.')
  },
})
