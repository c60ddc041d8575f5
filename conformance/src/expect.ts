/** What cases expect of a response: each `expect…` returns what it read or throws a Violation. */
import { isInt64 } from '../../client/src/json.ts'
import { limitHeaderProblem } from './http/limit-headers.ts'
import { type Exchange, header } from './http/transport.ts'
import { isPetStatus, type Pet, RECORD_CITES, RECORDS, type RecordName, type Requirement } from './interface.ts'
import { isJsonType, jsonOf, jsonText, membersOf, memberText, tryJson } from './json-body.ts'
import { Violation } from './verdicts.ts'

/** An int64 that comes back changed is one mistake of the service, in whichever animal. */
const INT64_CHANGED = 'int64 changed'

/** A request that is wrongly served is always a finding. Other wrong statuses share one cause. */
export function expectStatus(exchange: Exchange, statement: Requirement, ...allowed: readonly number[]): void {
  const { status } = exchange.answer
  if (allowed.includes(status)) return
  const isWronglyServed = status < 300 && allowed.every((each) => each >= 400)
  const cause = isWronglyServed ? null : `status ${allowed[0]}|${status}`
  throw new Violation(statement, exchange, `status ${allowed.join(' or ')}`, `status ${status}`, cause)
}

export function expectJson(exchange: Exchange): void {
  const type = header(exchange.answer, 'Content-Type') ?? 'absent'
  if (!isJsonType(exchange.answer))
    throw new Violation('R1', exchange, 'Content-Type application/json', `Content-Type ${type}`)
  jsonOf(exchange)
}

export function expectLimitHeaders(exchange: Exchange): void {
  const problem = limitHeaderProblem(exchange)
  if (problem === undefined) return
  const expected = 'the three limit headers, whole numbers, Reset a Unix time ahead in seconds'
  throw new Violation('R15', exchange, expected, problem)
}

export function expectError(exchange: Exchange): void {
  const { status } = readRecord(exchange, 'Error', jsonOf(exchange))
  if (status === BigInt(exchange.answer.status)) return
  throw new Violation('R6', exchange, 'status as the HTTP status', `status ${status}`, 'another status in an Error')
}

export function expectPet(exchange: Exchange): Pet {
  return readRecord(exchange, 'Pet', jsonOf(exchange)) as unknown as Pet
}

export function expectPets(exchange: Exchange, limit: number): readonly Pet[] {
  expectStatus(exchange, 'R7', 200)
  const pets = expectList(exchange).map((item) => readRecord(exchange, 'Pet', item) as unknown as Pet)
  if (pets.length > limit) throw new Violation('R7', exchange, `at most ${limit} animals`, `${pets.length} animals`)
  return pets
}

export function expectBody(exchange: Exchange, body: RecordName | readonly [RecordName]): void {
  if (typeof body === 'string') readRecord(exchange, body, jsonOf(exchange))
  else for (const item of expectList(exchange)) readRecord(exchange, body[0], item)
}

export function expectSame(exchange: Exchange, statement: Requirement, pet: Pet, sent: Omit<Pet, 'id'>): void {
  for (const field of ['name', 'categoryId', 'status'] as const) {
    if (pet[field] === sent[field]) continue
    const cause = field === 'categoryId' ? INT64_CHANGED : `${field} changed`
    const text = (value: unknown) => (value === undefined ? 'absent' : jsonText(value))
    throw new Violation(statement, exchange, `${field} ${text(sent[field])}`, `${field} ${text(pet[field])}`, cause)
  }
}

function expectList(exchange: Exchange): readonly unknown[] {
  const json = jsonOf(exchange)
  if (Array.isArray(json)) return json
  throw new Violation('R7', exchange, 'a JSON array', 'something else')
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  int64: isInt64,
  string: (value) => typeof value === 'string',
  PetStatus: isPetStatus,
}

function readRecord(exchange: Exchange, name: RecordName, json: unknown): Readonly<Record<string, unknown>> {
  const members = membersOf(json)
  if (members === undefined)
    throw new Violation(RECORD_CITES[name], exchange, `a JSON object (${name})`, jsonText(json), `no ${name}`)
  const read: Record<string, unknown> = {}
  for (const [field, rule] of Object.entries(RECORDS[name])) {
    const [type = ''] = rule.split('?')
    const value = members.get(field)
    if (!members.has(field)) {
      if (rule.endsWith('?')) continue
      throw new Violation(RECORD_CITES[name], exchange, `${name} with ${field}`, `${name} without ${field}`)
    }
    if (TYPES[type]?.(value) !== true) {
      const statement = name === 'Error' ? 'R6' : type === 'int64' ? 'R5' : type === 'string' ? 'R4' : 'R2'
      // A double prints an integer that it cannot hold with zeros at the end.
      const isRounded = type === 'int64' && /000$|e/.test(String(value))
      const cause = isRounded ? INT64_CHANGED : `${name}.${field} is no ${type}`
      const came = `${field} ${JSON.stringify(jsonText(value))}`
      throw new Violation(statement, exchange, `${field} of the type ${type}`, came, cause)
    }
    read[field] = value
  }
  return read
}

/** The status and the important parts of the response, for the report: `201, id 7, status sold`. */
export function outcome({ answer }: Exchange, ...headers: readonly string[]): string {
  const { status } = answer
  const json = tryJson(answer)?.value
  const count = Array.isArray(json) ? [`${json.length} animals`] : []
  const names = status >= 400 ? ['code'] : status === 201 ? ['id', 'categoryId', 'status'] : []
  const parts = [
    ...names.map((name) => [name, memberText(answer, name)] as const),
    ...headers.map((name) => [`${name}:`, header(answer, name) ?? ''] as const),
  ]
  return [status, ...count, ...parts.flatMap(([name, text]) => (text === '' ? [] : `${name} ${text}`))].join(', ')
}
