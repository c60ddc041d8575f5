/**
 * What cases expect of an answer: each `expect…` either returns what it read or throws a Violation that says what was
 * wrong. Also the sentences that report the answers to open points.
 */

import { isInt64 } from '../../client/src/json.ts'
import { type HttpResponse, header } from './http/answer.ts'
import { clockDoubt, limitHeaderProblem } from './http/limit-headers.ts'
import type { Exchange } from './http/transport.ts'
import { isPetStatus, type Pet, type Statement } from './interface.ts'
import { isJsonType, jsonOf, jsonText, membersOf, tryJson } from './json-body.ts'
import { Suspicious, Violation } from './verdicts.ts'

/** The cause for an int64 that comes back changed, in any animal: it is one mistake of the service. */
export const INT64_CHANGED = 'int64 changed'
/** The causes for a wrong value in an animal, whether it is listed or fetched. */
export const NO_INT64 = 'an int64 that is none'
export const INT64_AS_STRING = 'an int64 as a string'
export const NO_NAME = 'name no string'
export const NO_STATUS = 'a status that is none'
/** The cause if an animal is missing, from a list or when fetched: the service did not store it. */
export const NOT_STORED = 'a created animal is not there'

/** Every request that is served instead of refused is a finding. Other wrong statuses share one cause for all cases. */
export function expectStatus(exchange: Exchange, statement: Statement, ...allowed: readonly number[]): void {
  const { status } = exchange.answer
  if (allowed.includes(status)) return
  const json = status < 300 ? tryJson(exchange.answer)?.value : undefined
  const isServed = Array.isArray(json) || membersOf(json)?.has('id') === true
  const isWronglyServed = isServed && allowed.every((each) => each >= 400)
  const cause = isWronglyServed ? null : `status ${allowed[0]}|${status}`
  throw new Violation(statement, exchange, `status ${allowed.join(' or ')}`, `status ${status}`, cause)
}

export function expectJsonType(exchange: Exchange): void {
  if (isJsonType(exchange.answer)) return
  const contentType = header(exchange.answer, 'Content-Type')
  const came = contentType === undefined ? 'no Content-Type' : `Content-Type ${contentType}`
  throw new Violation('R1', exchange, 'Content-Type application/json', came)
}

export function expectLimitHeaders(exchange: Exchange): void {
  const problem = limitHeaderProblem(exchange)
  if (problem !== undefined) {
    const expected = 'the three limit headers, whole numbers, Reset a Unix time ahead in seconds'
    throw new Violation('R15', exchange, expected, problem)
  }
  const doubt = clockDoubt(exchange)
  if (doubt !== undefined) throw new Suspicious(doubt)
}

/** Expects an Error body that repeats the HTTP status. Returns its code. */
export function expectError(exchange: Exchange): string {
  const { status } = exchange.answer
  const expected = `an Error: code and message strings, status the integer ${status}`
  const members = membersOf(tryJson(exchange.answer)?.value)
  if (members === undefined) throw new Violation('R6', exchange, expected, 'a body that is no JSON object')
  const code = members.get('code')
  const problems: string[] = []
  for (const name of ['code', 'message']) {
    if (!members.has(name)) problems.push(`${name} is missing`)
    else if (typeof members.get(name) !== 'string') problems.push(`${name} is not a string`)
  }
  const memberStatus = members.get('status')
  if (!members.has('status')) problems.push('status is missing')
  else if (!isNumber(memberStatus)) problems.push('status is not a number')
  else if (memberStatus !== BigInt(status)) problems.push(`status is ${memberStatus}`)
  if (problems.length > 0 || typeof code !== 'string')
    throw new Violation('R6', exchange, expected, problems.join('; '))
  return code
}

export function expectPet(exchange: Exchange): Pet {
  return readPet(exchange, jsonOf(exchange))
}

/** Expects the animal with this id, and no other. */
export function expectFetched(exchange: Exchange, id: bigint): Pet {
  expectStatus(exchange, 'R11', 200)
  const pet = expectPet(exchange)
  if (pet.id !== id) throw new Violation('R11', exchange, `the animal ${id}`, `the animal ${pet.id}`)
  return pet
}

/** Expects a list of at most `limit` animals. */
export function expectPets(exchange: Exchange, limit: number): readonly Pet[] {
  expectStatus(exchange, 'R7', 200)
  const json = jsonOf(exchange)
  if (!Array.isArray(json)) throw new Violation('R7', exchange, 'a JSON array', 'something else')
  if (json.length > limit) throw new Violation('R7', exchange, `a list of at most ${limit}`, `a list of ${json.length}`)
  return json.map((item) => readPet(exchange, item))
}

/** Expects an animal to be as it was sent. */
export function expectSamePet(exchange: Exchange, statement: Statement, pet: Pet, as: Omit<Pet, 'id'>): void {
  for (const field of ['name', 'categoryId', 'status'] as const) {
    if (pet[field] === as[field]) continue
    const expected = `${field} ${valueText(as[field])} for the animal ${pet.id}`
    const cause = field === 'categoryId' ? INT64_CHANGED : undefined
    throw new Violation(statement, exchange, expected, `${field} ${valueText(pet[field])}`, cause)
  }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : value === undefined ? 'absent' : String(value)
}

function readPet(exchange: Exchange, json: unknown): Pet {
  const members = membersOf(json)
  if (members === undefined)
    throw new Violation('R4', exchange, 'an animal as a JSON object', `${jsonText(json)}`, 'no object')
  for (const name of ['id', 'name', 'categoryId']) {
    if (!members.has(name))
      throw new Violation('R4', exchange, `an animal with its ${name}`, `an animal without ${name}`)
  }
  const name = members.get('name')
  if (typeof name !== 'string')
    throw new Violation('R4', exchange, 'a name that is a string', `name ${jsonText(name)}`, NO_NAME)
  const pet = { id: readInt64(exchange, members, 'id'), name, categoryId: readInt64(exchange, members, 'categoryId') }
  if (!members.has('status')) return pet
  const status = members.get('status')
  if (isPetStatus(status)) return { ...pet, status }
  throw new Violation('R2', exchange, 'a status of the three, or none', `status ${jsonText(status)}`, NO_STATUS)
}

function readInt64(exchange: Exchange, members: ReadonlyMap<string, unknown>, name: string): bigint {
  const value = members.get(name)
  if (isInt64(value)) return value
  const kind = typeof value === 'string' ? 'the string ' : ''
  // A double prints an integer that it cannot hold with zeros: 9223372036854775807 as 9223372036854776000.
  const isRoundedText = isNumber(value) && /000$|e/.test(String(value))
  const cause = isRoundedText ? INT64_CHANGED : kind === '' ? NO_INT64 : INT64_AS_STRING
  const came = `${name} is ${kind}${jsonText(value)}`
  throw new Violation('R5', exchange, `${name} as a JSON number that is an int64`, came, cause)
}

function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

/** The status, and the code where the body is an Error: `400 (invalid_request)`. */
export function outcome({ answer }: Exchange): string {
  const code = errorCodeOf(answer)
  return `${answer.status}${code === undefined ? '' : ` (${code})`}`
}

export function errorCodeOf(answer: HttpResponse): string | undefined {
  const code = answer.status >= 400 ? membersOf(tryJson(answer)?.value)?.get('code') : undefined
  return typeof code === 'string' ? code : undefined
}

/** Those of the named headers that are present: `; Allow: GET, POST`. */
export function withHeaders({ answer }: Exchange, ...names: readonly string[]): string {
  return names
    .map((name) => [name, header(answer, name)])
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `; ${name}: ${value}`)
    .join('')
}

/** How a creation was answered whose validity is open. */
export function creationOutcome(exchange: Exchange): string {
  if (exchange.answer.status !== 201) return `refused, ${outcome(exchange)}`
  const members = membersOf(tryJson(exchange.answer)?.value)
  const fields = ['id', 'categoryId', 'status']
    .filter((name) => members?.has(name))
    .map((name) => `${name} ${jsonText(members?.get(name))}`)
  return ['accepted', ...fields].join(', ')
}
