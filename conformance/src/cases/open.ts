/** How a server responds where the API is silent. Only sweeps.ts judges these responses (R15). */
import { ANIMALS, animal, longList, UNUSED_ID } from '../animals.ts'
import type { Case, Level } from '../case.ts'
import { outcome } from '../expect.ts'
import { readLimitHeaders } from '../http/limit-headers.ts'
import { createPet, getPet, httpRequest, listPets, type Request, WITH_KEY, WITHOUT_KEY } from '../http/request.ts'
import { PET_STATUSES, PLANS, type Statement } from '../interface.ts'
import type { Kit } from '../kit.ts'
import { NotRun } from '../verdicts.ts'

/** `what` begins the sentence of the report. */
type OpenPoint = readonly [id: string, cites: Statement, what: string, request: Request | ((kit: Kit) => Request)]

const create = (members: string, type?: string) => (kit: Kit) =>
  createPet(`{"name":"${kit.namePrefix}open","categoryId":${members}}`, WITH_KEY, type)
const SHOWN_HEADERS = ['Allow', 'Link', 'X-Total-Count', 'Access-Control-Allow-Origin']
const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining']

const CORE: readonly OpenPoint[] = [
  ['paging', 'O6', 'GET /pets?limit=1', listPets('?limit=1')],
  ['limit-without-key', 'O14', 'A list without a key', listPets('', WITHOUT_KEY)],
  ['limit-0', 'O16', 'limit=0', listPets('?limit=0')],
  ['status-unknown', 'O16', 'status=lost', listPets('?status=lost')],
  ['field-unknown', 'O17', 'A creation with a field colour', create('1,"colour":"red"')],
  ['number-point-zero', 'O20', 'A categoryId of 7.0', create('7.0')],
  ['name-empty', 'O19', 'An empty name', createPet('{"name":"","categoryId":1}')],
  ['text-plain', 'O23', 'A creation as text/plain', create('null', 'text/plain')],
  ['get-word', 'O18', 'The id rex in the path', getPet('rex')],
  ['path-without-key', 'O22', 'An unknown path without a key', httpRequest('GET', '/no-such-path', WITHOUT_KEY)],
  ['head', 'O23', 'HEAD /pets', httpRequest('HEAD', '/pets')],
  ['status-change', 'O3', 'PATCH /pets/{petId}', httpRequest('PATCH', `/pets/${UNUSED_ID}`)],
  ['orders', 'O2', 'GET /store/orders', httpRequest('GET', '/store/orders')],
  ['categories', 'O1', 'GET /categories', httpRequest('GET', '/categories')],
  ['events', 'O25', 'GET /events', httpRequest('GET', '/events')],
  [
    'preflight',
    'O24',
    'A preflight of a browser for another origin',
    httpRequest('OPTIONS', '/pets', { Origin: 'https://example.org', 'Access-Control-Request-Method': 'GET' }),
  ],
]

/** A proxy or a parser might answer these itself. */
const STRICT: readonly OpenPoint[] = [
  ['large-body', 'O19', 'A creation of a little over 1 MiB', createPet(`{"name":"${'a'.repeat(1_100_000)}"}`)],
  ['bad-escape', 'O18', 'A path with invalid percent-encoding', httpRequest('GET', '/pets/%zz')],
  ['expectation', 'O23', 'An unknown expectation', httpRequest('GET', '/pets', { ...WITH_KEY, Expect: '200-maybe' })],
  [
    'header-large',
    'O23',
    'A header of 80,000 characters',
    httpRequest('GET', '/pets', { 'X-Filler': 'a'.repeat(80_000) }),
  ],
]

const rowCases = (rows: readonly OpenPoint[], level: Level): readonly Case[] =>
  rows.map(([id, cites, what, request]) => ({
    id,
    title: `How this is answered: ${what}`,
    cites: [cites],
    level,
    needs: what.includes(' in the path') ? ['getPet'] : [],
    run: async (kit) => {
      const exchange = await kit.send(typeof request === 'function' ? request(kit) : request)
      return `${what}: ${outcome(exchange, ...(cites === 'O14' ? LIMITS : SHOWN_HEADERS))}.`
    },
  }))

const lookCases: readonly Case[] = [
  {
    id: 'order',
    title: 'The order of the list, and the filters that show an animal without a status',
    cites: ['O5', 'O4'],
    run: async (kit) => {
      const ids = (await longList(kit)).pets.map(({ id }) => id)
      const rises = ids.slice(1).filter((id, i) => id > (ids[i] ?? 0n)).length
      const order = rises === 0 ? 'falling' : rises === ids.length - 1 ? 'rising' : 'not in the order of the'
      const { id } = await animal(kit, ANIMALS.withoutStatus)
      const lists = await Promise.all(PET_STATUSES.map((status) => longList(kit, `&status=${status}`)))
      const filters = PET_STATUSES.filter((_, i) => lists[i]?.pets.some((pet) => pet.id === id))
      return `The list is ${order} id; an animal without a status is shown by ${filters.join() || 'no'} filter.`
    },
  },
  {
    id: 'limit-in-force',
    title: 'The limit in force, its plan and reset, and the cost of a 400',
    cites: ['R14', 'O10', 'O11', 'O12', 'O13'],
    run: async (kit) => {
      const before = readLimitHeaders((await kit.send(listPets('?limit=1'))).answer)
      const after = readLimitHeaders((await kit.send(createPet('{}'))).answer)
      if (before === undefined || after === undefined) throw new NotRun('the limit headers are missing')
      const { limit, remaining, resetS } = before
      const plans = Object.entries(PLANS).filter(([, plan]) => plan.perMinute === limit || plan.perDay === limit)
      const names = plans.map(([name]) => name).join(', ') || 'no listed plan'
      return `Limit in force: ${limit} (${names}), reset at ${resetS}; a 400 costs ${remaining - after.remaining}.`
    },
  },
]

export const openCases = [...lookCases, ...rowCases(CORE, 'core')]
/** Run late, because some might crash a server. */
export const STRICT_REQUESTS = STRICT.map(([, , , request]) => request)
export const strictOpenCases = rowCases(STRICT, 'strict')
