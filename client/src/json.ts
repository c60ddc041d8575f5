/**
 * JSON without loss of digits. Node 20 and many browsers cannot give the source text of a number, so the text is parsed
 * twice: as it is, and with each number in quotes.
 */

/** A JSON string or number. Strings are matched so that digits inside them are skipped. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Parses JSON without loss of digits: each integer becomes a bigint, also one written as `7.0` or
 * `9.223372036854775807e18`; any other number stays a number. Throws SyntaxError.
 */
export function fromJson(text: string): unknown {
  const inQuotes = (token: string) => (token.startsWith('"') ? token : `"${token}"`)
  return withDigits(JSON.parse(text), JSON.parse(text.replace(STRING_OR_NUMBER, inQuotes)))
}

/** `quoted` is the same value with numbers as strings. */
function withDigits(value: unknown, quoted: unknown): unknown {
  if (typeof value === 'number') return exact(value, String(quoted))
  if (typeof value !== 'object' || value === null) return value
  const digits = quoted as Record<string, unknown>
  if (Array.isArray(value)) return value.map((item, index) => withDigits(item, digits[index]))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDigits(item, digits[key])]))
}

/** The integer that `text` denotes, if it denotes one: `9.223372036854775807e18` is 2^63-1. */
function exact(value: number, text: string): bigint | number {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? []
  const [digits = ''] = /^\d*[1-9]/.exec(`${whole}${fraction}`) ?? []
  const zeros = whole.length + Number(exponent) - digits.length
  if (digits === '') return 0n
  // A short exponent can stand for millions of digits. Only integers within 64 bits are of use.
  return zeros < 0 || (exponent !== '0' && zeros > 19) ? value : BigInt(`${sign}${digits}${'0'.repeat(zeros)}`)
}

/**
 * Writes JSON like `JSON.stringify`, and each bigint as a number with all of its digits. A value without a JSON form
 * becomes `null`.
 */
export function toJson(value: unknown): string {
  return textOf(value) ?? 'null'
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON())
  if (Array.isArray(value)) return `[${value.map(toJson)}]`
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = textOf(member)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members}}`
}

/**
 * The exact int64 of a caller's value for `field`. Throws TypeError if it is not an integer, and RangeError for a
 * number that may already have lost digits or does not fit into 64 bits.
 */
export function int64(value: bigint | number, field: string): bigint {
  const isNumber = typeof value === 'number'
  if (!isNumber && typeof value !== 'bigint') throw new TypeError(`${field} must be a bigint or a number`)
  if (isNumber && !Number.isSafeInteger(value)) {
    throw new RangeError(`${field} must be a whole number of at most 2^53 - 1; give a larger one as a bigint`)
  }
  const integer = BigInt(value)
  if (!isInt64(integer)) throw new RangeError(`${field} must fit into 64 bits`)
  return integer
}

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value
}
