/** `page.conf`, in which 2.1 had the settings of the page in its folder: it is taken over into the settings once. */
import { join } from 'node:path'
import { isSetting, type SettingName, settingProblem } from '../domain/settings.ts'
import type { Author } from '../store/author.ts'
import type { Store } from '../store/store.ts'
import { FolderUnusable, readText } from './folder.ts'

/** Also the member of the shelter that says that the file was taken over. */
const CONFIG_FILE = 'page.conf'
/** What settings are called now. */
const RENAMED: Readonly<Record<string, SettingName>> = {
  status: 'statuses',
  url: 'page',
  'adopt-url': 'adopt',
  'photo-url': 'photos',
}

/**
 * Takes an existing file over: what it says goes before what was set, as it did. Returns a sentence if it did so. Throws
 * FolderUnusable where the file cannot be understood.
 */
export async function takePageConf({ words }: Pick<Store, 'words'>, folder: string, by: Author) {
  const text = readText(folder, CONFIG_FILE)
  if (text === '' || CONFIG_FILE in (await words.shelter())) return undefined
  const settings: Record<string, string> = { [CONFIG_FILE]: 'taken over' }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [old = '', value = ''] = line.split(/=(.*)/s, 2).map((part) => part.trim())
    const name = RENAMED[old] ?? old
    const problem = isSetting(name) ? settingProblem(name, value) : 'is not a setting'
    if (problem !== undefined)
      throw new FolderUnusable(folder, `line ${index + 1} of ${CONFIG_FILE} is wrong: ${old} ${problem}`)
    settings[name] = value
  }
  await words.setShelter(settings, by)
  return `The settings in ${join(folder, CONFIG_FILE)} were taken over into the database; the file is not read any more. \`pets settings\` shows them.`
}
