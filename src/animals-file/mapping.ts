/**
 * How a list is read, as text of one `key = value` a line, which the office edits with controls. `name = Animal Name` is
 * a column, `status: In Foster = pending` the meaning of a word, `sold = Adoption Date` says that a row with a value in
 * that column is sold. A `?` is still to be answered. `#` at the start of a line begins a comment.
 */
import { ExplainedError } from '../common/errors.ts'
import { fold, foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { MISSING } from '../rules/sync.ts'
import { onOneLine } from './file-errors.ts'
import { MEANINGS, type Meaning } from './languages/language.ts'

/** Columns, each by its header. An empty header means that there is none. */
export const FIELDS = ['name', 'category', 'reference', 'arrived', 'latest', 'status'] as const
export type Field = (typeof FIELDS)[number]
export const FLAGS = ['skip', 'gone', 'sold', 'none', 'pending'] as const satisfies readonly Meaning[]
export type Flag = (typeof FLAGS)[number]

const ORDERS = ['day first', 'month first', 'year first'] as const
export type Order = (typeof ORDERS)[number]

/** Settings with their possible values, if they are limited. */
const SETTINGS = {
  dates: ORDERS,
  sheet: undefined,
  list: undefined,
  encoding: undefined,
  header: undefined,
  several: ['each'],
  missing: MISSING,
  'list-name': undefined,
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>
type SettingName = keyof typeof SETTINGS
const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** Marks an open question. */
export const OPEN = '?'
/** Precedes the category of all animals: `category = * Dogs`. */
const ALL = '*'

export interface Mapping {
  readonly columns: Readonly<Partial<Record<Field, string>>>
  readonly settings: Readonly<Partial<Record<SettingName, string>>>
  readonly flags: Readonly<Partial<Record<Flag, readonly string[]>>>
  /** Meanings of words. In a status, `*` at the end stands for anything. */
  readonly words: readonly { readonly of: 'category' | 'status'; readonly word: string; readonly meaning: string }[]
  readonly values: readonly { readonly flag: Flag; readonly heading: string; readonly value: string }[]
}

export const NO_MAPPING: Mapping = { columns: {}, settings: {}, flags: {}, words: [], values: [] }

export interface Line {
  readonly key: string
  readonly value: string
}

/** The message says which line is wrong, and how it should look. */
export class BadMapping extends ExplainedError {
  override readonly name = 'BadMapping'
}

const MOST_LINES = 500
const LONGEST_LINE = 1_000

export function readMapping(text: string): Mapping {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => !/^(?:\s*$|\s{0,20}#)/.test(line))
  if (lines.length > MOST_LINES) throw new BadMapping(`A mapping has at most ${MOST_LINES} lines.`)
  return lines.reduce(withLine, NO_MAPPING)
}

function withLine(mapping: Mapping, line: string): Mapping {
  const [, key = '', mark, rest = ''] = /^\s*([\w-]+)\s*([:=])(.*)$/s.exec(line.slice(0, LONGEST_LINE)) ?? []
  const { columns, settings, flags, words, values } = mapping
  const end = rest.lastIndexOf('=')
  const value = onOneLine(mark === '=' ? rest : rest.slice(end + 1))
  const word = onOneLine(rest.slice(0, Math.max(end, 0)))
  const bad = (form: string) => new BadMapping(`"${printable(line.trim())}" should be ${form}.`)
  if (mark === '=') {
    if (isOneOf(FIELDS, key)) return { ...mapping, columns: { ...columns, [key]: value } }
    if (isOneOf(FLAGS, key)) return { ...mapping, flags: { ...flags, [key]: headingsIn(value) } }
    if (isOneOf(SETTING_NAMES, key)) {
      const all: readonly string[] = SETTINGS[key] ?? [value]
      if (value !== OPEN && !all.includes(value)) throw bad(`${key} = ${all.join(` or ${key} = `)}`)
      return { ...mapping, settings: { ...settings, [key]: value } }
    }
  } else if (end !== -1) {
    if (isOneOf(FLAGS, key)) return { ...mapping, values: [...values, { flag: key, heading: word, value }] }
    if (key === 'category' && value === '') throw bad('category: VALUE = CATEGORY')
    if (key === 'status' && value !== OPEN && !isOneOf(MEANINGS, value))
      throw bad(`status: WORD = ${MEANINGS.join(', ')}`)
    if (key === 'category' || key === 'status') {
      const others = words.filter((one) => one.of !== key || fold(one.word) !== fold(word))
      return { ...mapping, words: [...others, { of: key, word, meaning: value }] }
    }
  }
  const keys = [...FIELDS, ...FLAGS, ...SETTING_NAMES].join(', ')
  throw bad(`KEY = VALUE, category: VALUE = CATEGORY or status: WORD = MEANING. Keys are ${keys}`)
}

function isOneOf<T extends string>(all: readonly T[], text: string): text is T {
  return all.some((one) => one === text)
}

/** Headers separated by commas. Quotes enclose a header with a comma. */
function headingsIn(text: string): readonly string[] {
  const parts = text.match(/"[^"]*"|[^",]+/g) ?? []
  return parts.map((part) => onOneLine(part.replace(/^\s*"|"\s*$/g, ''))).filter((part) => part !== '')
}

export function linesOf({ columns, settings, flags, words, values }: Mapping): readonly Line[] {
  const wordsFor = (of: 'category' | 'status') =>
    words.filter((one) => one.of === of).map(({ word, meaning }) => ({ key: `${of}: ${word}`.trim(), value: meaning }))
  const inQuotes = (heading: string) => (heading.includes(',') ? `"${heading}"` : heading)
  return [
    ...FIELDS.flatMap((key) => {
      const own = columns[key] === undefined ? [] : [{ key, value: columns[key] }]
      return key === 'category' || key === 'status' ? [...own, ...wordsFor(key)] : own
    }),
    ...FLAGS.flatMap((key) => {
      const some = flags[key] ?? []
      return some.length === 0 ? [] : [{ key, value: some.map(inQuotes).join(', ') }]
    }),
    ...values.map(({ flag, heading, value }) => ({ key: `${flag}: ${heading}`, value })),
    ...SETTING_NAMES.flatMap((key) => (settings[key] === undefined ? [] : [{ key, value: settings[key] }])),
  ]
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ key, value }) => `${key} = ${value}`.trimEnd()).join('\n')
}

/** The category of all animals, if no column has it. */
export function categoryOfAll({ columns }: Mapping): string | undefined {
  const { category = '' } = columns
  return category.startsWith(ALL) ? category.slice(ALL.length).trim() : undefined
}

export function forAll(category: string): string {
  return `${ALL} ${category}`
}

/** The headers of a mapping, by their folded form. */
export function headingsOf({ columns, flags, values }: Mapping): ReadonlyMap<string, string> {
  const others = [...Object.values(flags).flat(), ...values.map(({ heading }) => heading)]
  const named = [...Object.values(columns), ...others].filter((heading) => ![OPEN, ''].includes(heading))
  return new Map(named.filter((heading) => !heading.startsWith(ALL)).map((heading) => [foldWord(heading), heading]))
}

export function isOpen(lines: readonly Line[]): boolean {
  return lines.some(({ value }) => value === OPEN)
}
