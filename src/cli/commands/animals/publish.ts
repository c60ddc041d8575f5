/** `pets publish`: the animals as a page for the shelter's own website. */
import { type Command, Option } from 'commander'
import type { PetStatus } from '../../../contract/schemas.ts'
import { prepareFolder } from '../../../public-page/folder.ts'
import { publish as publishPage } from '../../../public-page/publisher.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand } from '../../command.ts'
import { PAGE, statuses, title } from '../../options.ts'
import { animals } from './animal.ts'

export function publish(cli: Cli): Command {
  return databaseCommand(cli, 'publish', {
    about: "Write the animals as a page for the shelter's own website, with lists and a feed.",
    examples: [
      'pets publish /var/www/animals',
      "pets publish /var/www/animals --status available,pending --title 'Looking for a home'",
    ],
    takes: (made) =>
      made
        .argument('<folder>', 'where to; it is made if it is not there, and files of others in it stay')
        .addOption(
          new Option('--status <list>', 'animals with one of these')
            .argParser(statuses)
            .default(PAGE.statuses, PAGE.statuses.join()),
        )
        .addOption(new Option('--title <text>', 'the heading of the page').argParser(title).default(PAGE.title)),
    action: async ({ withStore }, folder: string, shown: { status: readonly PetStatus[]; title: string }) => {
      const { animals: n, written } = await withStore(async (store) => {
        const plan = { folder: cli.path(folder), statuses: shown.status, title: shown.title }
        prepareFolder(plan.folder)
        return publishPage(store, plan, cli.clock.now())
      })
      const what = written.length === 0 ? 'nothing has changed' : `${written.join(', ')} written`
      await cli.print(`${animals(n)} in ${folder}: ${what}.\n`)
    },
  })
}
