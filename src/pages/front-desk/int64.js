/** Identifiers as people type them: 64-bit integers, without rounding. */

/**
 * The number, or undefined if the text is not a 64-bit integer.
 * @param {string} text
 * @returns {bigint | undefined}
 */
export function readInt64(text) {
  if (!/^-?\d+$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}
