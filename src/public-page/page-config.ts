/**
 * The settings of the page: `page.conf` in its folder, one `name = value` a line. It is read each time that the page is
 * written, so a change needs no restart.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { whyUnreadable } from '../common/paths.ts'
import { isPetStatus, PetStatus } from '../contract/schemas.ts'
import { LABEL_FORM, labelOf } from '../rules/labels.ts'
import { FolderUnusable } from './folder.ts'
import { LANGUAGES } from './languages/index.ts'

/** Those of page.conf go before what the office says. `url` is where the folder is on the web. */
export type PageConfig = Readonly<Partial<Record<keyof typeof SETTINGS, string | undefined>>> & {
  readonly folder: string
  /** Animals with one of these; none is there twice. */
  readonly statuses: readonly PetStatus[]
}

export const CONFIG_FILE = 'page.conf'
export const STATUSES_RULE = `It must be one or more of ${PetStatus.enum.join(', ')}, separated by commas.`

const isAddress = (value: string) => /^https?:\/\/[^\s"'<>]+$/.test(value) && URL.canParse(value)
const PHOTO = /^https:\/\/[^/{}]+\/[^{}]*\{(?:number|reference)\}[^{}]*$/
const isPhoto = (value: string) => PHOTO.test(value) && isAddress(value.replace(/[{}]/g, ''))
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+$/.test(value)

/** What is right, and what it must be, behind its name. */
const SETTINGS = {
  title: [(value) => labelOf(value) !== undefined, `must be ${LABEL_FORM}`],
  language: [(value) => LANGUAGES.has(value), `must be one of ${[...LANGUAGES.keys()].join(', ')}`],
  url: [isAddress, 'must begin with https:// or http://, as https://www.example.org/animals/'],
  telephone: [(value) => value !== '', 'must be a number'],
  email: [isEmail, 'must be an address, as office@example.org'],
  'adopt-url': [isAddress, 'must begin with https:// or http://'],
  'animal-pages': [(value) => value === 'yes' || value === 'no', 'must be yes or no'],
  'photo-url': [isPhoto, 'must begin with https:// and a host, and have {number} or {reference} behind it, once'],
} as const satisfies Readonly<Record<string, readonly [isRight: (value: string) => boolean, rule: string]>>

/** Statuses separated by commas; undefined if one of them is none. */
export function toStatuses(text: string): readonly PetStatus[] | undefined {
  const list = text.split(',').map((part) => part.trim())
  return list.every(isPetStatus) ? [...new Set(list)] : undefined
}

/** What a setting must be, as in "must begin with https://", if it is not; page.conf and the office have it. */
export function problemOf(name: keyof typeof SETTINGS, value: string): string | undefined {
  const [isRight, rule] = SETTINGS[name]
  return isRight(value) ? undefined : rule
}

function isSetting(name: string): name is keyof typeof SETTINGS {
  return Object.hasOwn(SETTINGS, name)
}

/** Throws FolderUnusable where the file cannot be understood. */
export function readPageConfig(folder: string): PageConfig {
  let config: PageConfig = { folder, statuses: ['available'] }
  for (const [index, line] of readLines(folder).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [name = '', value = ''] = line.split(/=(.*)/s, 2).map((part) => part.trim())
    const wrong = (rule: string) => new FolderUnusable(folder, `line ${index + 1} of ${CONFIG_FILE} is wrong: ${rule}`)
    if (name === 'status') {
      const statuses = toStatuses(value)
      if (statuses === undefined) throw wrong(`status ${STATUSES_RULE.slice(3, -1)}`)
      config = { ...config, statuses }
    } else if (isSetting(name)) {
      const problem = problemOf(name, value)
      if (problem !== undefined) throw wrong(`${name} ${problem}`)
      config = { ...config, [name]: value }
    } else throw wrong(`it should be status = LIST, or one of ${Object.keys(SETTINGS).join(', ')}`)
  }
  return config
}

function readLines(folder: string): readonly string[] {
  const file = join(folder, CONFIG_FILE)
  try {
    return existsSync(file) ? readFileSync(file, 'utf8').split(/\r?\n/) : []
  } catch (error) {
    throw new FolderUnusable(folder, `${CONFIG_FILE} in it cannot be read: ${whyUnreadable(error, file)}`, error)
  }
}
