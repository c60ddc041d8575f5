/**
 * How the lists of `serve --sync-from` are read: the file `sync.conf` in their folder, one `name = value` a line, with
 * the names of the options of `pets sync`. It is read for each list, so a change of it needs no new start.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadMapping, readMapping } from '../../animals-file/mapping.ts'
import { printable } from '../../common/printable.ts'
import { MISSING, type Missing } from '../../store/sync.ts'
import { ListRefused, SHARE_RULE, toShare } from './sync-list.ts'

const FILE = 'sync.conf'

interface ListSettings {
  readonly ref: string
  readonly map: readonly string[]
  readonly missing: Missing
  readonly adopt: boolean | undefined
  readonly most: number
  readonly namesNew: boolean
}

/** Throws a sentence. */
type Reader = (value: string, before: ListSettings) => Partial<ListSettings>

const READERS: Readonly<Record<string, Reader>> = {
  ref: (ref) => ({ ref }),
  map: (text, { map }) => {
    if (!text.startsWith('@')) readMapping(text)
    return { map: [...map, text] }
  },
  missing: (text) => ({
    missing: MISSING.find((one) => one === text) ?? fail(`It must be one of ${MISSING.join(', ')}.`),
  }),
  adopt: (text) => ({ adopt: toYes(text) }),
  'new-categories': (text) => ({ namesNew: toYes(text) }),
  most: (text) => ({ most: toShare(text) ?? fail(SHARE_RULE) }),
}

/** Throws ListRefused. */
export function readListSettings(folder: string): ListSettings {
  let settings: ListSettings = { ref: '', map: [], missing: 'keep', adopt: undefined, most: 0.1, namesNew: false }
  for (const [index, line] of readSettings(join(folder, FILE)).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    const read = Object.entries(READERS).find(([one]) => one === name)?.[1]
    const where = `Line ${index + 1} of ${FILE}`
    if (read === undefined) {
      const names = Object.keys(READERS).join(', ')
      throw new ListRefused(`${where} should be NAME = VALUE; the names are ${names}, not "${printable(name)}".`)
    }
    try {
      settings = { ...settings, ...read(value, settings) }
    } catch (error) {
      if (!(error instanceof BadMapping)) throw error
      throw new ListRefused(`${where}: ${name} is wrong. ${error.message}`)
    }
  }
  if (settings.ref === '') throw new ListRefused(`${FILE} does not name the column of the references: ref = Animal ID.`)
  return settings
}

function readSettings(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ListRefused(`The settings of the lists cannot be read (${reason}); write them, such as ref = Animal ID.`)
  }
}

function toYes(text: string): boolean {
  return text === 'yes' || (text === 'no' ? false : fail('It must be yes or no.'))
}

/** A value that cannot be understood, as a mapping can be. */
function fail(rule: string): never {
  throw new BadMapping(rule)
}
