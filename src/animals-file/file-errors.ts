/** Why a file cannot be read, and how its values are quoted in sentences. */
import { counted } from '../common/counted.ts'
import { ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import { doneWord, rowsAdvice } from '../rules/imports.ts'

/** The longest quotation of a value, in UTF-16 units. */
const MAX_EXCERPT = 60

export function excerpt(value: string): string {
  const text = value.slice(0, 2 * MAX_EXCERPT).trim()
  return `"${printable(text.slice(0, MAX_EXCERPT))}${text.length > MAX_EXCERPT ? '…' : ''}"`
}

export function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Not thrown for a single invalid row. */
export class UnreadableFile extends ExplainedError {
  override readonly name = 'UnreadableFile'
}

export class BadRows extends Error {
  override readonly name = 'BadRows'
  /** What can be done, without a full stop. A command names its option. */
  readonly advice: string
  readonly maySkip: boolean
  readonly badRows: number
  readonly unit: 'line' | 'object'
  readonly problems: readonly { readonly line: number; readonly text: string }[]

  constructor(found: Pick<BadRows, 'badRows' | 'problems' | 'unit'>, isSync: boolean, maySkip: boolean) {
    super(`Nothing was ${doneWord(isSync)}: the file has ${counted(found.badRows, 'invalid row')}.`)
    this.badRows = found.badRows
    this.unit = found.unit
    this.problems = found.problems
    this.maySkip = maySkip
    this.advice = rowsAdvice(maySkip)
  }
}
