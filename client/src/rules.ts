/** Checks options and members by name and value, also where no compiler has, as in JavaScript. */
import { int64 } from './json.ts'

/**
 * The type of a value; a number is the least that a number may be, and an int64 may be a number too. What is empty is
 * checked elsewhere.
 */
type Rule = number | 'int64' | 'boolean' | 'function' | 'object' | ''
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>

/** What a received record holds, for answers.ts: the kinds of its members; a `?` is behind one that may be absent. */
export type Members = Readonly<Record<string, 'int64' | 'string' | readonly string[]>>

/**
 * Throws TypeError for a name without a rule, and TypeError or, of a number, RangeError for a value that breaks its
 * rule. What is undefined is not given.
 */
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
