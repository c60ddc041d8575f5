/**
 * The rules of `--map`, which define how the columns and words of another system are read: `name=Animal Name` names the
 * column of a field, `status:on hold=pending` gives the meaning of a word. One argument holds several rules, separated
 * by commas. `status=` means that there is no column, and `category:=Dogs` gives the meaning of an empty value. `@NAME`
 * stands for ready rules or for a file of rules, one a line; `#` begins a comment.
 */
import { readFile } from 'node:fs/promises'
import { codeOf, ExplainedError } from '../common/errors.ts'
import { foldWord } from '../common/fold.ts'
import { whyUnreadable } from '../common/paths.ts'
import { printable } from '../common/printable.ts'
import { READY_MAPS } from './languages/systems.ts'
import { MEANINGS } from './statuses.ts'

const FIELDS = ['name', 'categoryId', 'status', 'reference', 'id'] as const
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
  return [
    ...[...columns].map(([field, heading]) => columnRule(field, heading)),
    ...[...values].flatMap(([field, rules]) =>
      [...rules.values()].map((one) => wordRule(field, one.value, one.meaning)),
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

/** Adds rules to a mapping. Throws BadMapping. */
export function readRules(rules: readonly string[], before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map([...before.values].map(([field, words]) => [field, new Map(words)]))
  for (const rule of rules) {
    const [, key = '', mark, rest = ''] = /^\s*(\w+)\s*([:=])(.*)$/s.exec(rule) ?? []
    const field = FIELDS.find((field) => [field, fieldName(field)].map(foldWord).includes(foldWord(key)))
    const end = rest.lastIndexOf('=')
    if (field === undefined || (mark === ':' && end === -1)) throw invalidRule(rule)
    const [value, meaning] = [rest.slice(0, end).trim(), rest.slice(end + 1).trim()]
    if ((mark === '=' ? rest.trim() : meaning) === PLACEHOLDER) {
      throw new BadMapping(`"${rule.trim()}" is still to be completed: write what it means in place of the ?.`)
    }
    if (mark === '=') {
      const heading = rest.trim()
      if (heading === '' && ['name', 'id'].includes(field)) throw invalidRule(rule)
      columns.set(field, heading)
      continue
    }
    const isStatus = field === 'status'
    if (isStatus ? meaning !== '' && !MEANINGS.some((one) => one === meaning) : meaning === '') throw invalidRule(rule)
    const words = values.get(field) ?? new Map<string, Rule>()
    values.set(field, words.set(foldWord(value), { value, meaning }))
  }
  return { columns, values }
}

function invalidRule(rule: string): BadMapping {
  return new BadMapping(
    `"${rule.trim()}" should be FIELD=COLUMN or FIELD:WORD=MEANING, such as name=Animal Name or status:adopted=sold; the fields are ${FIELDS.map(fieldName).join(', ')}, and a status means ${MEANINGS.join(', ')}.`,
  )
}

/** The name of the ready map whose columns are all in this header. */
export function readyFor(header: readonly string[]): string | undefined {
  const headings = new Set(header.map(foldWord))
  for (const [name, { reference, rules }] of READY_MAPS) {
    const columns = rules.flatMap((rule) => /^\w+=(.+)$/.exec(rule)?.[1] ?? [])
    if ([reference, ...columns].every((column) => headings.has(foldWord(column)))) return name
  }
  return undefined
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
  if (ready !== undefined) return ready.rules
  const text = await readFile(path(name), 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT')
      throw new BadMapping(`The mapping ${printable(name)} cannot be read: ${whyUnreadable(error, path(name))}.`)
    const names = [...READY_MAPS.keys()].map((one) => `@${one}`)
    throw new BadMapping(
      `There is no file ${printable(name)}, and the mappings that are ready are ${names.join(', ')}.`,
    )
  })
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => !/^\s*(#|$)/.test(line))
}
