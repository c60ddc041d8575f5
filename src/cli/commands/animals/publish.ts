/** `pets publish`: the animals as a page for the shelter's own website. */
import { InvalidArgumentError } from 'commander'
import { counted } from '../../../common/counted.ts'
import { SETTINGS, settingProblem } from '../../../domain/settings.ts'
import { prepareFolder } from '../../../public-page/folder.ts'
import { takePageConf } from '../../../public-page/page-conf.ts'
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
      .argument('<folder>', 'folder of the page, created if it does not exist; other files in it stay')
      .option('--status <list>', `statuses of the animals ${usual('statuses', 'available')}`, statuses)
      .option('--title <text>', `title of the page ${usual('title', 'Our animals')}`, label),
  async action({ cli, open }, to, { status, title }) {
    const folder = cli.path(to)
    const store = await open()
    prepareFolder(folder)
    const takenOver = await takePageConf(store, folder, cli.author())
    if (takenOver !== undefined) cli.warn(`${takenOver}\n`)
    const publisher = await import('../../../public-page/publisher.ts')
    const instead = { ...(status && { statuses: status }), ...(title && { title }) }
    const { animals: n, files } = await publisher.publish(store, folder, cli.clock.now(), instead)
    const what = files.length === 0 ? 'nothing has changed' : `${files.join(', ')} written`
    return `${counted(n, 'animal')} in ${to}: ${what}.\n`
  },
})

function usual(setting: string, otherwise: string): string {
  return `(default: the setting \`${setting}\`, or ${otherwise})`
}

function statuses(text: string): string {
  if (text === '' || settingProblem('statuses', text) !== undefined)
    throw new InvalidArgumentError(`It ${SETTINGS.statuses.rule}.`)
  return text
}
