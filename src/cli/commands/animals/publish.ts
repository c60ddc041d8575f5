/** `pets publish`: the animals as a page for the shelter's own website. */
import { Command, Option } from 'commander'
import { systemClock } from '../../../common/system-clock.ts'
import type { PetStatus } from '../../../contract/schemas.ts'
import { prepareFolder } from '../../../public-page/folder.ts'
import { publish as publishPage } from '../../../public-page/publisher.ts'
import { examples } from '../../examples.ts'
import { databaseOption, PAGE, statuses, title } from '../../options.ts'
import { print } from '../../output.ts'
import { withStore } from '../../store.ts'
import { animals } from './animal.ts'

interface PublishOptions {
  readonly database: string
  readonly status: readonly PetStatus[]
  readonly title: string
}

export const publish = new Command('publish')
  .description("Write the animals as a page for the shelter's own website, with lists and a feed.")
  .addHelpText(
    'after',
    examples(
      'pets publish /var/www/animals',
      "pets publish /var/www/animals --status available,pending --title 'Looking for a home'",
    ),
  )
  .argument('<folder>', 'where to; it is made if it is not there, and files of others in it stay')
  .addOption(
    new Option('--status <list>', 'animals with one of these')
      .argParser(statuses)
      .default(PAGE.statuses, PAGE.statuses.join()),
  )
  .addOption(new Option('--title <text>', 'the heading of the page').argParser(title).default(PAGE.title))
  .addOption(databaseOption())
  .action(async (folder: string, { database, ...shown }: PublishOptions) => {
    const { animals: n, written } = await withStore({ database }, (store) => {
      prepareFolder(folder)
      return publishPage(store, { folder, statuses: shown.status, title: shown.title }, systemClock.now())
    })
    const what = written.length === 0 ? 'nothing has changed' : `${written.join(', ')} written`
    await print(`${animals(n)} in ${folder}: ${what}.\n`)
  })
