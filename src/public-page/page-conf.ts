/** `page.conf`, in which 2.1 had the settings of the page in its folder: it is taken over into the settings once. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { whyUnreadable } from '../common/paths.ts'
import { isSetting, type SettingName, settingProblem } from '../domain/settings.ts'
import type { Author } from '../store/author.ts'
import type { Store } from '../store/store.ts'
import { FolderUnusable } from './folder.ts'

const CONFIG_FILE = 'page.conf'
/** The member of the shelter that says that a file was taken over. */
const TAKEN = 'page.conf'
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
  const file = join(folder, CONFIG_FILE)
  if (!existsSync(file) || TAKEN in (await words.shelter())) return undefined
  await words.setShelter({ ...readPageConf(folder, file), [TAKEN]: 'taken over' }, by)
  return `The settings in ${file} were taken over into the database; the file is not read any more. \`pets settings\` shows them.`
}

function readPageConf(folder: string, file: string): Readonly<Record<string, string>> {
  const settings: Record<string, string> = {}
  for (const [index, line] of readLines(folder, file).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [old = '', value = ''] = line.split(/=(.*)/s, 2).map((part) => part.trim())
    const name = RENAMED[old] ?? old
    const problem = isSetting(name) ? settingProblem(name, value) : 'is not a setting'
    if (problem !== undefined)
      throw new FolderUnusable(folder, `line ${index + 1} of ${CONFIG_FILE} is wrong: ${old} ${problem}`)
    settings[name] = value
  }
  return settings
}

function readLines(folder: string, file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)
  } catch (error) {
    throw new FolderUnusable(folder, `${CONFIG_FILE} in it cannot be read: ${whyUnreadable(error, file)}`, error)
  }
}
