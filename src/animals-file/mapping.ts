/**
 * How a list is read, as text of one `key = value` a line. `name = Animal Name` is a column, `status: Held = pending` the
 * meaning of a word, `sold = Adoption Date` says that a row with a value in that column is sold.
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
type Flag = (typeof FLAGS)[number]

const ORDERS = ['day first', 'month first', 'year first'] as const
export type Order = (typeof ORDERS)[number]

const SETTINGS = ['dates', 'sheet', 'list', 'encoding', 'header', 'several', 'missing', 'list-name'] as const
type Setting = (typeof SETTINGS)[number]
const LIMITED: Partial<Record<Setting, readonly string[]>> = { dates: ORDERS, several: ['each'], missing: MISSING }

export const OPEN = '?'
/** Precedes the category of all animals: `category = * Dogs`. */
export const ALL = '*'

export interface Mapping {
  readonly columns: Readonly<Partial<Record<Field, string>>>
  readonly settings: Readonly<Partial<Record<Setting, string>>>
  /** Columns with a meaning: all their values have it, or only this one. */
  readonly claims: readonly { readonly flag: Flag; readonly heading: string; readonly value?: string }[]
  /** Meanings of words. In a status, `*` at the end stands for anything. */
  readonly words: readonly { readonly of: 'category' | 'status'; readonly word: string; readonly meaning: string }[]
}

export const NO_MAPPING: Mapping = { columns: {}, settings: {}, claims: [], words: [] }

export type Line = { readonly key: string; readonly value: string }

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
  const { columns, settings, claims, words } = mapping
  const end = rest.lastIndexOf('=')
  const value = onOneLine(mark === '=' ? rest : rest.slice(end + 1))
  const word = onOneLine(rest.slice(0, Math.max(end, 0)))
  const bad = (form: string) => new BadMapping(`"${printable(line.trim())}" should be ${form}.`)
  if (mark === '=') {
    if (isOneOf(FIELDS, key)) return { ...mapping, columns: { ...columns, [key]: value } }
    if (isOneOf(FLAGS, key))
      return { ...mapping, claims: [...claims, ...headingsIn(value).map((heading) => ({ flag: key, heading }))] }
    if (isOneOf(SETTINGS, key)) {
      const all = LIMITED[key] ?? [value]
      if (value !== OPEN && !all.includes(value)) throw bad(`${key} = ${all.join(` or ${key} = `)}`)
      return { ...mapping, settings: { ...settings, [key]: value } }
    }
  } else if (end !== -1) {
    if (isOneOf(FLAGS, key)) return { ...mapping, claims: [...claims, { flag: key, heading: word, value }] }
    if (key === 'category' && value === '') throw bad('category: VALUE = CATEGORY')
    if (key === 'status' && value !== OPEN && !isOneOf(MEANINGS, value))
      throw bad(`status: WORD = ${MEANINGS.join(', ')}`)
    if (key === 'category' || key === 'status') {
      const others = words.filter((one) => one.of !== key || fold(one.word) !== fold(word))
      return { ...mapping, words: [...others, { of: key, word, meaning: value }] }
    }
  }
  const keys = [...FIELDS, ...FLAGS, ...SETTINGS].join(', ')
  throw bad(`KEY = VALUE, category: VALUE = CATEGORY or status: WORD = MEANING. Keys are ${keys}`)
}

function isOneOf<T extends string>(all: readonly T[], text: string): text is T {
  return all.some((one) => one === text)
}

function headingsIn(text: string): readonly string[] {
  const parts = text.match(/"[^"]*"|[^",]+/g) ?? []
  return parts.map((part) => onOneLine(part.replace(/^\s*"|"\s*$/g, ''))).filter((part) => part !== '')
}

export function linesOf({ columns, settings, claims, words }: Mapping): readonly Line[] {
  const wordsFor = (of: 'category' | 'status') =>
    words.filter((one) => one.of === of).map(({ word, meaning }) => ({ key: `${of}: ${word}`.trim(), value: meaning }))
  const columnsFor = (flag: Flag) => {
    const headings = claims.flatMap((one) => (one.flag === flag && one.value === undefined ? [one.heading] : []))
    return headings.map((heading) => (heading.includes(',') ? `"${heading}"` : heading)).join(', ')
  }
  return [
    ...FIELDS.flatMap((key) => {
      const own = columns[key] === undefined ? [] : [{ key, value: columns[key] }]
      return key === 'category' || key === 'status' ? [...own, ...wordsFor(key)] : own
    }),
    ...FLAGS.map((key) => ({ key, value: columnsFor(key) })).filter(({ value }) => value !== ''),
    ...claims.flatMap(({ flag, heading, value }) =>
      value === undefined ? [] : [{ key: `${flag}: ${heading}`, value }],
    ),
    ...SETTINGS.flatMap((key) => (settings[key] === undefined ? [] : [{ key, value: settings[key] }])),
  ]
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ key, value }) => `${key} = ${value}`.trimEnd()).join('\n')
}

export function headingsOf({ columns, claims }: Mapping): ReadonlyMap<string, string> {
  const all = [...Object.values(columns), ...claims.map(({ heading }) => heading)]
  const named = all.filter((heading) => heading !== '' && heading !== OPEN && !heading.startsWith(ALL))
  return new Map(named.map((heading) => [foldWord(heading), heading]))
}

export function isOpen(lines: readonly Line[]): boolean {
  return lines.some(({ value }) => value === OPEN)
}
