/**
 * The rules of `--map`, which say how the columns and words of another system are understood: `name=Animal Name` names
 * the column of a field, `status:on hold=pending` gives the meaning of a word. One argument holds several rules,
 * separated by commas; a file of rules has one on each line. Nothing can be said too: `status=` is no column,
 * `category:=Dogs` what an empty value means.
 */
import { foldWord } from '../common/fold.ts'
import { MEANINGS } from './statuses.ts'

const FIELDS = ['name', 'categoryId', 'status', 'reference', 'id'] as const
export type Field = (typeof FIELDS)[number]

export interface Mapping {
  /** The headings of fields; empty is no column. */
  readonly columns: ReadonlyMap<Field, string>
  /** For each field, what a value (as `foldWord` writes it) stands for. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, Rule>>
}

interface Rule {
  /** The value as it was written. */
  readonly value: string
  readonly meaning: string
}

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() }
/** What is to be filled in, in a mapping that a command has begun. */
export const OPEN = '?'

/** The rules cannot be understood; the message says which one and how it should look. */
export class BadMapping extends Error {
  override readonly name = 'BadMapping'
}

/** Adds the rules of another argument. Throws BadMapping. */
export function readMapping(text: string, before: Mapping = NO_MAPPING): Mapping {
  return readRules(text.split(','), before)
}

/** The rules that give the same mapping again, one for each line of a file. */
export function rulesOf({ columns, values }: Mapping): readonly string[] {
  return [
    ...[...columns].map(([field, heading]) => columnRule(field, heading)),
    ...[...values].flatMap(([field, rules]) =>
      [...rules.values()].map(({ value, meaning }) => wordRule(field, value, meaning)),
    ),
  ]
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

/** Adds more rules. Throws BadMapping. */
export function readRules(rules: readonly string[], before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map(before.values)
  for (const rule of rules) {
    const [, key = '', mark, rest = ''] = /^\s*(\w+)\s*([:=])(.*)$/s.exec(rule) ?? []
    const field = FIELDS.find((field) => [field, fieldName(field)].map(foldWord).includes(foldWord(key)))
    const end = rest.lastIndexOf('=')
    if (field === undefined || (mark === ':' && end === -1)) throw misspelt(rule)
    if (mark === '=') {
      const heading = rest.trim()
      if (heading === OPEN) throw open(rule)
      if (heading === '' && ['name', 'id'].includes(field)) throw misspelt(rule)
      columns.set(field, heading)
      continue
    }
    const [value, meaning] = [rest.slice(0, end).trim(), rest.slice(end + 1).trim()]
    if (meaning === OPEN) throw open(rule)
    const isStatus = field === 'status'
    if (isStatus ? meaning !== '' && !MEANINGS.some((one) => one === meaning) : meaning === '') throw misspelt(rule)
    values.set(field, new Map([...(values.get(field) ?? []), [foldWord(value), { value, meaning }]]))
  }
  return { columns, values }
}

function misspelt(rule: string): BadMapping {
  return new BadMapping(
    `"${rule.trim()}" should be FIELD=COLUMN or FIELD:WORD=MEANING, such as name=Animal Name or status:adopted=sold; the fields are ${FIELDS.map(fieldName).join(', ')}, and a status means ${MEANINGS.join(', ')}.`,
  )
}

function open(rule: string): BadMapping {
  return new BadMapping(`"${rule.trim()}" is still to be completed: write what it means in place of the ?.`)
}
