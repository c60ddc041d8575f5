/**
 * The rules of `--map`, which translate the columns and values of other systems: `name=Animal Name` names the column of
 * a field, `status:adopted=sold` gives the meaning of a value. One argument holds several rules, separated by commas.
 * Of the status alone either can be nothing: `status=` is no column, and `status:lost=` no status.
 */
import { foldWord } from '../common/fold.ts'

const FIELDS = ['name', 'categoryId', 'status', 'id'] as const
export type Field = (typeof FIELDS)[number]

export interface Mapping {
  /** The headings of fields whose column has another name. */
  readonly columns: ReadonlyMap<Field, string>
  /** For each field, what a value (as `foldWord` writes it) stands for. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, string>>
}

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() }

/** The rules cannot be understood; the message says which one and how it should look. */
export class BadMapping extends Error {
  override readonly name = 'BadMapping'
}

/** Adds the rules of another argument. Throws BadMapping. */
export function readMapping(text: string, before: Mapping = NO_MAPPING): Mapping {
  return readRules(text.split(','), before)
}

/** The rules that give the same mapping again. A value may have commas in it, which an argument cannot say. */
export function rulesOf({ columns, values }: Mapping): readonly string[] {
  return [
    ...[...columns].map(([field, heading]) => `${field}=${heading}`),
    ...[...values].flatMap(([field, meanings]) =>
      [...meanings].map(([value, meaning]) => `${field}:${value}=${meaning}`),
    ),
  ]
}

/** Adds more rules. Throws BadMapping. */
export function readRules(rules: readonly string[], before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map(before.values)
  for (const rule of rules) {
    const [, key = '', value, meaning = ''] = /^\s*(\w+)(?::([^=]*))?=(.*)$/.exec(rule) ?? []
    const field = FIELDS.find((field) => foldWord(field) === foldWord(key))
    if (field === undefined || (meaning.trim() === '' && field !== 'status')) {
      throw new BadMapping(
        `"${rule}" should be FIELD=COLUMN or FIELD:VALUE=MEANING, such as name=Animal Name or status:adopted=sold; the fields are ${FIELDS.join(', ')}.`,
      )
    }
    if (value === undefined) columns.set(field, meaning.trim())
    else values.set(field, new Map([...(values.get(field) ?? []), [foldWord(value), meaning.trim()]]))
  }
  return { columns, values }
}

/** Rules as `--map` takes them, of headings and words without commas and quotes. */
export function mapArgument(rules: readonly string[]): string {
  return `--map "${rules.join(',')}"`
}
