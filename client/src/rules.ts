/** Checks options and members by name and value, also where no compiler has, as in JavaScript. */
import { int64 } from './json.ts'

/** The type of a value, or its minimum. An int64 can be a number too; what is empty is checked elsewhere. */
type Rule = number | 'int64' | 'boolean' | 'function' | 'object' | ''
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>

/** The types of a received record's members, for answers.ts; `?` follows the name of an optional one. */
export type Members = Readonly<Record<string, 'int64' | 'string' | readonly string[]>>

/** Throws TypeError for an unknown name or a wrong type, and RangeError for a number below its minimum. */
export function check<Name extends string>(what: string, values: object, rules: Rules<Name>): void {
  for (const [name, value] of Object.entries(values)) {
    const rule: Rule | undefined = rules[name as Name]
    if (value === undefined || rule === '') continue
    if (rule === undefined)
      throw new TypeError(`there is no ${what} ${name}; there are ${Object.keys(rules).join(', ')}`)
    if (rule === 'int64') {
      int64(value, name)
      continue
    }
    const isNumber = typeof rule === 'number'
    const isValid = isNumber ? typeof value === 'number' && value >= rule : value !== null && typeof value === rule
    if (isValid) continue
    const must = isNumber ? `number, ${rule} or more` : rule
    throw new (typeof value === 'number' ? RangeError : TypeError)(`${name} must be a ${must}`)
  }
}
