/** Identifiers as people type them: whole numbers of 64 bits, exact to the last digit. */

/**
 * The number, or undefined where the text is none that fits.
 * @param {string} text
 * @returns {bigint | undefined}
 */
export function readInt64(text) {
  if (!/^-?\d+$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}
