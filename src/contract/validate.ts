/** Checks client input by the schemas (R3, R7, R8, R10, O4, O16, O17, O19, O20). Messages do not repeat the input. */
import { int64OfJsonNumber } from './int64.ts'
import { memberParser, numberText } from './json.ts'
import { FILTER_NAMES, PET_FILTERS, type PetFilter, STATUS_RULE } from './pet-filter.ts'
import { isPetStatus, Limit, NewPet } from './schemas.ts'

/** The value, or sentences that each name a field and its problem. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly string[] }

type FieldSchema = (typeof NewPet.properties)[keyof typeof NewPet.properties]

const FIELDS = Object.entries<FieldSchema>(NewPet.properties)
const REQUIRED: ReadonlySet<string> = new Set(NewPet.required)

const INT64_RANGE = 'from -9223372036854775808 to 9223372036854775807'
export const INT64_RULE = `must be an integer ${INT64_RANGE}`
export const WHOLE_NUMBER_RULE = `must be a whole number ${INT64_RANGE}`
const LIMIT_RULE = `must be an integer from ${Limit.minimum} to ${Limit.maximum}, in plain decimal digits`
/** Text that an engine cannot store (O19). */
const NAME_RULE = 'must not contain U+0000 or an unpaired surrogate'

/** Keeps `categoryId` exact. Throws SyntaxError. */
export const parseNewPet = memberParser('categoryId' satisfies keyof NewPet)

export function checkNewPet(body: unknown): Checked<NewPet> {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || numberText(body) !== undefined) {
    return { problems: [`the body must be a JSON object, not ${kindOf(body)}`] }
  }
  const members = body as Record<string, unknown>
  const problems: string[] = []
  if (Object.hasOwn(members, 'id')) problems.push('id: is assigned by the service and must not be sent')
  const value: Record<string, unknown> = {}
  for (const [field, schema] of FIELDS) {
    if (!Object.hasOwn(members, field)) {
      if (REQUIRED.has(field)) problems.push(`${field}: is required`)
      continue
    }
    const result = checkField(schema, members[field])
    if ('problem' in result) problems.push(`${field}: ${result.problem}`)
    else value[field] = result.value
  }
  // Built from NewPet's own properties, so it has NewPet's shape.
  return problems.length > 0 ? { problems } : { value: value as NewPet }
}

function checkField(schema: FieldSchema, json: unknown): { readonly value: unknown } | { readonly problem: string } {
  if ('format' in schema) {
    const number = numberText(json)
    const integer = number === undefined ? undefined : int64OfJsonNumber(number)
    if (integer !== undefined) return { value: integer }
    return { problem: number === undefined ? `${INT64_RULE}, not ${kindOf(json)}` : INT64_RULE }
  }
  if ('enum' in schema) {
    if (isPetStatus(json)) return { value: json }
    return { problem: typeof json === 'string' ? STATUS_RULE : `${STATUS_RULE}, not ${kindOf(json)}` }
  }
  if (typeof json !== 'string') return { problem: `must be a string, not ${kindOf(json)}` }
  return isStorableText(json) ? { value: json } : { problem: NAME_RULE }
}

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** `cursor` exists only if the operator turned paging on (O6). */
export interface ListQuery extends PetFilter {
  readonly limit: number
  readonly cursor: string | undefined
}

/** Unknown parameters are ignored (O17); a repeated one is invalid (O16). */
export function checkListQuery(query: URLSearchParams, isPaged = false): Checked<ListQuery> {
  const problems: string[] = []
  const once = (name: string): string | undefined => {
    const values = query.getAll(name)
    if (values.length > 1) problems.push(`${name}: must be given once`)
    return values[0]
  }
  const limitText = once('limit')
  const limit = limitText === undefined ? Limit.default : /^[1-9]\d{0,2}$/.test(limitText) ? Number(limitText) : 0
  if (limit < Limit.minimum || limit > Limit.maximum) problems.push(`limit: ${LIMIT_RULE}`)
  const read = (name: keyof PetFilter) => {
    const text = once(name)
    const value = text === undefined ? undefined : PET_FILTERS[name].read(text)
    if (text !== undefined && value === undefined) problems.push(`${name}: ${PET_FILTERS[name].rule}`)
    return [name, value] as const
  }
  const filter = Object.fromEntries(FILTER_NAMES.map(read)) as unknown as PetFilter
  const cursor = isPaged ? once('cursor') : undefined
  if (problems.length > 0) return { problems }
  return { value: { limit, ...filter, cursor } }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (numberText(value) !== undefined) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
