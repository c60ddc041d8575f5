/** `pets publish`: the animals as a page for the shelter's own website. */
import { InvalidArgumentError } from 'commander'
import { counted } from '../../../common/counted.ts'
import type { PetStatus } from '../../../contract/schemas.ts'
import { prepareFolder } from '../../../public-page/folder.ts'
import { readPageConfig, STATUSES_RULE, toStatuses } from '../../../public-page/page-config.ts'
import { command } from '../../command.ts'
import { label } from '../../options.ts'

export const publish = command({
  about: "Write the animals as a page for the shelter's own website, with lists and a feed.",
  examples: [
    'pets publish /var/www/animals',
    "pets publish /var/www/animals --status available,pending --title 'Looking for a home'",
  ],
  takes: (command) =>
    command
      .argument('<folder>', 'where to; it is made if it is not there, and files of others in it stay')
      .option('--status <list>', `animals with one of these ${usual('available')}`, statuses)
      .option('--title <text>', `the heading of the page ${usual('Our animals')}`, label),
  async action({ cli, open }, to, flags) {
    const folder = cli.path(to)
    const store = await open()
    prepareFolder(folder)
    const pageConfig = readPageConfig(folder)
    const config = {
      ...pageConfig,
      statuses: flags.status ?? pageConfig.statuses,
      title: flags.title ?? pageConfig.title,
    }
    const publisher = await import('../../../public-page/publisher.ts')
    const { animals: n, files } = await publisher.publish(store, config, cli.clock.now())
    const what = files.length === 0 ? 'nothing has changed' : `${files.join(', ')} written`
    return `${counted(n, 'animal')} in ${to}: ${what}.\n`
  },
})

function usual(otherwise: string): string {
  return `(default: as page.conf there says, or ${otherwise})`
}

function statuses(text: string): readonly PetStatus[] {
  const list = toStatuses(text)
  if (list === undefined) throw new InvalidArgumentError(STATUSES_RULE)
  return list
}
