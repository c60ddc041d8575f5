/**
 * What the columns and values of other systems mean here, as `--map` says it: `name=Animal Name` names the column of a field,
 * `status:adopted=sold` the meaning of a value. Several stand in one argument, separated by commas.
 */
import { InvalidArgumentError } from 'commander'

export const FIELDS = ['name', 'categoryId', 'status', 'id'] as const
export type Field = (typeof FIELDS)[number]

export interface Mapping {
  /** The headings of fields that are not called as they are here. */
  readonly columns: ReadonlyMap<Field, string>
  /** By field, what a value (as `plain` writes it) stands for. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, string>>
}

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() }

/** Adds the rules of one more argument. Throws InvalidArgumentError. */
export function readMapping(text: string, before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map(before.values)
  for (const rule of text.split(',')) {
    const [, key = '', value, meaning = ''] = /^\s*(\w+)(?::([^=]*))?=(.*)$/.exec(rule) ?? []
    const field = FIELDS.find((field) => plain(field) === plain(key))
    if (field === undefined || meaning.trim() === '') {
      throw new InvalidArgumentError(
        `"${rule}" should be FIELD=COLUMN or FIELD:VALUE=MEANING, such as name=Animal Name or status:adopted=sold; the fields are ${FIELDS.join(', ')}.`,
      )
    }
    if (value === undefined) columns.set(field, meaning.trim())
    else values.set(field, new Map([...(values.get(field) ?? []), [plain(value), meaning.trim()]]))
  }
  return { columns, values }
}

/** A heading or a value as it is compared: in any case, without blanks around it, and `_`, `-` and blanks within left out. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}
