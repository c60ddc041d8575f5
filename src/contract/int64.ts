/** 64-bit integers without rounding (R5, O18, O20): a bigint in memory, decimal text where it is written. */

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const CANONICAL = /^(?:0|-?[1-9]\d{0,18})$/
const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Reads canonical decimal text, as in a path or a CSV field: `7` or `-7`, not `07`, `+7`, `7.0` or `-0`. */
export function parseInt64(text: string): bigint | undefined {
  return CANONICAL.test(text) ? inRange(BigInt(text)) : undefined
}

/** Reads the text of a JSON number by its value: `7`, `7.0`, `70e-1` and `7e0` are all 7 (O20). */
export function int64OfJsonNumber(source: string): bigint | undefined {
  if (CANONICAL.test(source)) return inRange(BigInt(source))
  const match = JSON_NUMBER.exec(source)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  const significant = digits.slice(0, endOfSignificant(digits))
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length)
  // More than 19 digits cannot be an int64. The check keeps 1e999999999 from being expanded.
  if (scale < 0 || significant.length + scale > 19) return undefined
  return inRange(BigInt(sign + significant + '0'.repeat(scale)))
}

/** A loop, because the pattern /0+$/ takes quadratic time on zeros before a digit. */
function endOfSignificant(digits: string): number {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return end
}

function inRange(value: bigint): bigint | undefined {
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}
