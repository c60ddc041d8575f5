/** `pets publish`: the animals as a page for the shelter's own website. */
import { counted } from '../../../common/counted.ts'
import { prepareFolder } from '../../../public-page/folder.ts'
import { takePageConf } from '../../../public-page/page-conf.ts'
import { command } from '../../command.ts'

export const publish = command({
  about:
    "Write the animals as a page for the shelter's own website. `pets settings` sets its title, language and statuses.",
  examples: ['pets publish /var/www/animals'],
  takes: (command) =>
    command.argument('<folder>', 'folder of the page, created if it does not exist; other files in it stay'),
  async action({ cli, open }, to) {
    const folder = cli.path(to)
    const store = await open()
    prepareFolder(folder)
    const imported = await takePageConf(store, folder, cli.author())
    if (imported !== undefined) cli.warn(`${imported}\n`)
    const publisher = await import('../../../public-page/publisher.ts')
    const { animals: n, files } = await publisher.publish(store, folder, cli.clock.now())
    const what = files.length === 0 ? 'nothing has changed' : `${files.join(', ')} written`
    return `${counted(n, 'animal')} in ${to}: ${what}.\n`
  },
})
