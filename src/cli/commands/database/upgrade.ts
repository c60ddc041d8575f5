/** `pets upgrade`: brings a database of an earlier version up to date, as the service does when it starts. */
import { Command } from 'commander'
import { examples } from '../../examples.ts'
import { databaseOption } from '../../options.ts'
import { print } from '../../output.ts'
import { withStore } from '../../store.ts'

export const upgrade = new Command('upgrade')
  .description('Bring a database of an earlier version up to date, after a checked copy of it; stop the service first.')
  .addHelpText('after', examples('pets upgrade'))
  .addOption(databaseOption())
  .action((options: { readonly database: string }) => withStore(options, () => print('The database is up to date.\n')))
