/** 64-bit integers as people type them, read without rounding. */

/** No 64-bit integer has more digits, and converting very many takes long. */
const MAX_DIGITS = 19

/**
 * The integer, or a sentence that says what is wrong with the text. `what` and `example` are its words, as in `A
 * number`, `42`.
 */
export function readInt64(
  text: string,
  { what, example }: { what: string; example: string },
): { integer: bigint; problem: '' } | { integer: undefined; problem: string } {
  const [, sign, digits] = /^(-?)0*(\d+)$/.exec(text.trim()) ?? []
  if (digits === undefined) return { integer: undefined, problem: `${what} is a whole number, such as ${example}.` }
  const integer = BigInt(digits.length > MAX_DIGITS ? 0 : `${sign}${digits}`)
  if (digits.length > MAX_DIGITS || BigInt.asIntN(64, integer) !== integer) {
    return { integer: undefined, problem: `${what} lies between -9223372036854775808 and 9223372036854775807.` }
  }
  return { integer, problem: '' }
}
