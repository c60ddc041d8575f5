/** What a body, a query and a path mean to the model: animals, int64 and statuses (R2-R5, R7, R8, R10, O4, O16-O20). */

export interface Animal {
  readonly name: string
  readonly categoryId: bigint
  readonly status: string | undefined
}

/** R3, R4: without a status there is no such member (O4). */
export function jsonOf(id: bigint, { name, categoryId, status }: Animal): string {
  const tail = status === undefined ? '' : `,"status":"${status}"`
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}}`
}

const STATUSES = ['available', 'pending', 'sold'] // R2
const LOWEST = -(1n << 63n)
const HIGHEST = (1n << 63n) - 1n

/** O18: canonical decimal only. */
export function readId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return undefined
  return withinInt64(BigInt(text))
}

function withinInt64(value: bigint): bigint | undefined {
  return value >= LOWEST && value <= HIGHEST ? value : undefined // R5
}

/** O20: the integer that a JSON number is by its value. Bodies are small, so all its digits can be written out. */
function integerOf(token: string): bigint | undefined {
  const number = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token)
  if (number === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = number
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  const point = digits.length - fraction.length + Number(exponent) // so many of the digits stand before the point
  if (point > 19 || !/^0*$/.test(digits.slice(Math.max(0, point))) || point <= 0) return undefined
  const value = BigInt(digits.slice(0, point).padEnd(point, '0'))
  return withinInt64(sign === '-' ? -value : value)
}

/** The animal that a body asks for; undefined if it is invalid (R10). `body` has one character a byte. */
export function readNewAnimal(body: string): Animal | undefined {
  const text = utf8(body)
  if (text === undefined || text.startsWith('\ufeff')) return undefined // O20
  const members = membersOf(text)
  if (members === undefined || members.has('id')) return undefined // O17
  const name = meaningOf(members.get('name'))
  const categoryId = integerOf(members.get('categoryId') ?? '')
  const status = members.has('status') ? meaningOf(members.get('status')) : undefined
  if (typeof name !== 'string' || name.includes('\0') || !name.isWellFormed()) return undefined // O19
  if (categoryId === undefined) return undefined
  if (members.has('status') && !STATUSES.some((each) => each === status)) return undefined // R2, O4
  return { name, categoryId, status: typeof status === 'string' ? status : undefined }
}

function utf8(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

function meaningOf(token: string | undefined): unknown {
  return token === undefined ? undefined : JSON.parse(token)
}

/** The members of an object as written; the last of two applies (O20). Undefined for others. */
function membersOf(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  } catch {
    return undefined
  }
  const members = new Map<string, string>()
  let [depth, name, start] = [0, '', 0]
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs)) {
    if (token === '{' || token === '[') depth += 1
    if (token === ':' && depth === 1) {
      name = JSON.parse(text.slice(start, index))
      start = index + 1
    } else if (depth === 1 && (token === ',' || token === '}')) {
      const written = text.slice(start, index).trim()
      if (written !== '') members.set(name, written)
    }
    if (depth === 1 && (token === ',' || token === '{')) start = index + 1
    if (token === '}' || token === ']') depth -= 1
  }
  return members
}

/** The filters of the list (R8): which animals a value lets through, or that it is invalid (O16). */
export const FILTERS: Readonly<Record<string, (text: string) => ((animal: Animal) => boolean) | undefined>> = {
  status: (text) => (STATUSES.includes(text) ? ({ status }) => status === text : undefined),
}

/** How many animals, and which. Undefined if it is invalid (O16). What else the query holds is ignored (O17). */
export function readQuery(
  query: string,
): { readonly limit: number; readonly lists: (animal: Animal) => boolean } | undefined {
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    return at === -1 ? [form(pair), ''] : [form(pair.slice(0, at)), form(pair.slice(at + 1))]
  })
  const known = pairs.filter(([name = '']) => name === 'limit' || Object.hasOwn(FILTERS, name))
  const values = new Map(known.map(([name = '', value = '']) => [name, value]))
  if (values.size < known.length) return undefined
  const limit = values.get('limit') ?? '20' // R7
  if (!/^(100|[1-9][0-9]?)$/.test(limit)) return undefined // R7, O16
  values.delete('limit')
  const filters = [...values].map(([name, value]) => FILTERS[name]?.(value))
  if (filters.includes(undefined)) return undefined
  return { limit: Number(limit), lists: (animal) => filters.every((lets) => lets?.(animal)) }
}

function form(text: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
