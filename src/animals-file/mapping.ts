/**
 * The rules of `--map`, which define how the columns and words of another system are read: `name=Animal Name` names the
 * column of a field, `status:on hold=pending` gives the meaning of a word. One argument holds several rules, separated
 * by commas. `status=` means that there is no column, and `category:=Dogs` gives the meaning of an empty value. `@NAME`
 * stands for ready rules or for a file of rules, one a line; `#` begins a comment.
 */
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { codeOf, ExplainedError } from '../common/errors.ts'
import { foldWord } from '../common/fold.ts'
import { whyUnreadable } from '../common/paths.ts'
import { printable } from '../common/printable.ts'
import { MEANINGS } from './languages/language.ts'
import { READY_MAPS } from './languages/systems.ts'
import { TextDecoding } from './text-decoding.ts'

export const FIELDS = ['reference', 'id', 'name', 'categoryId', 'status'] as const
export type Field = (typeof FIELDS)[number]

export interface Mapping {
  /** The heading of each field's column; an empty one means that there is no column. */
  readonly columns: ReadonlyMap<Field, string>
  /** For each field, the meaning of a value, by the value as `foldWord` returns it. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, Rule>>
}

/** `value` is not folded. */
type Rule = { readonly value: string; readonly meaning: string }

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() }
/** Stands where a person must fill in a mapping that a command has written. */
export const PLACEHOLDER = '?'

/** Rules that cannot be read or understood; the message says which, and how they should look. */
export class BadMapping extends ExplainedError {
  override readonly name = 'BadMapping'
}

/** The mapping as rules, one for each line of a file. */
export function rulesOf({ columns, values }: Mapping): readonly string[] {
  const words = [...values].flatMap(([field, rules]) =>
    [...rules.values()].map(({ value, meaning }) => wordRule(field, value, meaning)),
  )
  return [...[...columns].map(([field, heading]) => columnRule(field, heading)), ...words]
}

export function columnRule(field: Field, heading: string): string {
  return `${fieldName(field)} = ${heading}`.trimEnd()
}

export function wordRule(field: Field, value: string, meaning: string): string {
  return `${fieldName(field)}: ${value} = ${meaning}`.trimEnd()
}

export function fieldName(field: Field): string {
  return field === 'categoryId' ? 'category' : field
}

/** Adds rules to a mapping; of rules for the same thing the later one counts. Throws BadMapping. */
export function readRules(rules: readonly string[], before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map([...before.values].map(([field, words]) => [field, new Map(words)]))
  for (const rule of rules) {
    const [, key = '', mark, rest = ''] = /^\s*(\w+)\s*([:=])(.*)$/s.exec(rule) ?? []
    const field = FIELDS.find((field) => [field, fieldName(field)].map(foldWord).includes(foldWord(key)))
    const isColumn = mark === '='
    const end = isColumn ? 0 : rest.lastIndexOf('=')
    const meaning = rest.slice(isColumn ? 0 : end + 1).trim()
    if (meaning === PLACEHOLDER)
      throw new BadMapping(`"${rule.trim()}" is still to be completed: write what it means in place of the ?.`)
    const isStatus = !isColumn && field === 'status'
    const mayBeEmpty = isColumn ? field !== 'name' && field !== 'id' : isStatus
    const isGood = meaning === '' ? mayBeEmpty : !isStatus || MEANINGS.some((one) => one === meaning)
    if (field === undefined || end === -1 || !isGood) {
      const form = 'FIELD=COLUMN or FIELD:WORD=MEANING, such as name=Animal Name or status:adopted=sold'
      const words = `the fields are ${FIELDS.map(fieldName).join(', ')}, and a status means ${MEANINGS.join(', ')}`
      throw new BadMapping(`"${rule.trim()}" should be ${form}; ${words}.`)
    }
    if (isColumn) columns.set(field, meaning)
    else {
      const value = rest.slice(0, end).trim()
      values.set(field, (values.get(field) ?? new Map<string, Rule>()).set(foldWord(value), { value, meaning }))
    }
  }
  return { columns, values }
}

/** Whether it is a list in our own form, as an export is: its values are taken as they are. */
export function isOwn(header: readonly string[]): boolean {
  const folded = header.map(foldWord)
  return folded.includes('name') && folded.includes('categoryid')
}

/** The name of the ready map whose columns are all in this header. */
export function readyFor(header: readonly string[]): string | undefined {
  const headings = new Set(header.map(foldWord))
  const isThere = (rule: string) => headings.has(foldWord(/^\w+=(.+)$/.exec(rule)?.[1] ?? rule))
  return [...READY_MAPS].find(([, rules]) => rules.every((rule) => rule.includes(':') || isThere(rule)))?.[0]
}

/** The mapping of `--map` arguments. `path` resolves the name of a file of rules. Throws BadMapping. */
export async function mappingOf(texts: readonly string[], path = (name: string) => name): Promise<Mapping> {
  const rules: string[] = []
  for (const text of texts) {
    rules.push(...(text.startsWith('@') ? await rulesNamed(text.slice(1), path) : text.split(',')))
  }
  return readRules(rules)
}

async function rulesNamed(name: string, path: (name: string) => string): Promise<readonly string[]> {
  const ready = READY_MAPS.get(name)
  if (ready !== undefined) return ready
  const bytes = await readFile(path(name)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT')
      throw new BadMapping(`The mapping ${printable(name)} cannot be read: ${whyUnreadable(error, path(name))}.`)
    const names = [...READY_MAPS.keys()].map((one) => `@${one}`).join(', ')
    throw new BadMapping(`There is no file ${printable(name)}, and the mappings that are ready are ${names}.`)
  })
  const text = (await Array.fromAsync(new TextDecoding(Readable.from([bytes])).chunks())).join('')
  return text.split(/\r\n|\n|\r/).filter((line) => !/^\s*(#|$)/.test(line))
}
