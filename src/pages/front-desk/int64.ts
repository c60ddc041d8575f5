/** Identifiers as people type them: 64-bit integers, without rounding. */

/** No integer of 64 bits has more digits; converting very many would take long. */
const MAX_DIGITS = 19

/**
 * The integer or, for people, what is wrong with the text. `what` and `example` stand in the sentence, as in
 * `A number`, `42`.
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
