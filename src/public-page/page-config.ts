/**
 * The settings of the page: `page.conf` in its folder, one `name = value` a line. It is read each time that the page is
 * written, so a change needs no restart.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../common/errors.ts'
import { whyUnreadable } from '../common/paths.ts'
import { isPetStatus, PetStatus } from '../contract/schemas.ts'
import { FolderUnusable } from './folder.ts'

export interface PageConfig {
  readonly folder: string
  /** Animals with one of these; none is there twice. */
  readonly statuses: readonly PetStatus[]
  /** Undefined: the shelter's name, as it is set in the office. */
  readonly title: string | undefined
}

export const CONFIG_FILE = 'page.conf'
/** Defaults. */
const USUAL_PAGE: Omit<PageConfig, 'folder'> = { statuses: ['available'], title: undefined }
export const STATUSES_RULE = `It must be one or more of ${PetStatus.enum.join(', ')}, separated by commas.`

/** Statuses separated by commas; undefined if one of them is none. */
export function toStatuses(text: string): readonly PetStatus[] | undefined {
  const list = text.split(',').map((part) => part.trim())
  return list.every(isPetStatus) ? [...new Set(list)] : undefined
}

/** Throws FolderUnusable where the file cannot be understood. */
export function readPageConfig(folder: string): PageConfig {
  let plan: PageConfig = { folder, ...USUAL_PAGE }
  for (const [index, line] of readLines(folder).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name = '', text = ''] = /^\s*([\w-]+)\s*=(.*)$/.exec(line) ?? []
    const value = text.trim()
    const wrong = (rule: string) => new FolderUnusable(folder, `line ${index + 1} of ${CONFIG_FILE} is wrong: ${rule}`)
    if (name === 'title') {
      if (value === '') throw wrong('a title has at least one letter')
      plan = { ...plan, title: value }
    } else if (name === 'status') {
      const statuses = toStatuses(value)
      if (statuses === undefined) throw wrong(`status ${STATUSES_RULE.slice(3, -1)}`)
      plan = { ...plan, statuses }
    } else throw wrong('it should be title = TEXT or status = LIST')
  }
  return plan
}

function readLines(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, CONFIG_FILE), 'utf8').split(/\r?\n/)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw new FolderUnusable(
      folder,
      `${CONFIG_FILE} in it cannot be read: ${whyUnreadable(error, join(folder, CONFIG_FILE))}`,
      error,
    )
  }
}
