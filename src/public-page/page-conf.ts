/** Imports `page.conf`, the page's settings of 2.1, once. */
import { join } from 'node:path'
import { isSetting, type SettingName, settingProblem } from '../domain/settings.ts'
import type { Author } from '../store/author.ts'
import type { Store } from '../store/store.ts'
import { FolderUnusable, readText } from './folder.ts'

/** The setting that records the import. */
const CONFIG_FILE = 'page.conf'
const RENAMED: Readonly<Record<string, SettingName>> = {
  status: 'statuses',
  url: 'page',
  'adopt-url': 'adopt',
  'photo-url': 'photos',
}

/** Returns a sentence if it imported the file. Throws FolderUnusable if a line is wrong. */
export async function takePageConf({ words }: Pick<Store, 'words'>, folder: string, by: Author) {
  const text = readText(folder, CONFIG_FILE)
  if (text === '' || CONFIG_FILE in (await words.shelter())) return undefined
  const settings: Record<string, string> = { [CONFIG_FILE]: 'imported' }
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
  return `The settings in ${join(folder, CONFIG_FILE)} were imported into the database, and the file has no effect now. \`pets settings\` shows them.`
}
