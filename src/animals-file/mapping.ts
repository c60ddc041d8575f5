/**
 * The rules of `--map`, which translate the columns and values of other systems: `name=Animal Name` names the column of
 * a field, `status:adopted=sold` gives the meaning of a value. One argument holds several rules, separated by commas.
 */
const FIELDS = ['name', 'categoryId', 'status', 'id'] as const
export type Field = (typeof FIELDS)[number]

export interface Mapping {
  /** The headings of fields whose column has another name. */
  readonly columns: ReadonlyMap<Field, string>
  /** For each field, what a value (as `plain` writes it) stands for. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, string>>
}

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() }

/** The rules cannot be understood; the message says which one and how it should look. */
export class BadMapping extends Error {
  override readonly name = 'BadMapping'
}

/** Adds the rules of another argument. Throws BadMapping. */
export function readMapping(text: string, before: Mapping = NO_MAPPING): Mapping {
  const columns = new Map(before.columns)
  const values = new Map(before.values)
  for (const rule of text.split(',')) {
    const [, key = '', value, meaning = ''] = /^\s*(\w+)(?::([^=]*))?=(.*)$/.exec(rule) ?? []
    const field = FIELDS.find((field) => plain(field) === plain(key))
    if (field === undefined || meaning.trim() === '') {
      throw new BadMapping(
        `"${rule}" should be FIELD=COLUMN or FIELD:VALUE=MEANING, such as name=Animal Name or status:adopted=sold; the fields are ${FIELDS.join(', ')}.`,
      )
    }
    if (value === undefined) columns.set(field, meaning.trim())
    else values.set(field, new Map([...(values.get(field) ?? []), [plain(value), meaning.trim()]]))
  }
  return { columns, values }
}

/** A heading or a value in the form in which it is compared: lower case, trimmed, without `_`, `-` and spaces. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}
