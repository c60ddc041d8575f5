/**
 * The open points: how a server answers where the interface is silent. Most are rows of a table: a request, and the
 * sentence that reports its answer. None of these cases can fail.
 */
import { type Case, type CaseInSection, inSection, type Section } from '../case.ts'
import { creationOutcome, errorCodeOf, expectPets, outcome, withHeaders } from '../expect.ts'
import { ANIMALS, animal, FULL, UNUSED_ID, WITHOUT_KEY } from '../fixtures.ts'
import { header } from '../http/answer.ts'
import { retryAfterMs } from '../http/limit-headers.ts'
import { createPet, getPet, type HttpRequest, KEY, listPets, WITH_KEY, WITH_LIMITED_KEY } from '../http/request.ts'
import { PET_STATUSES, PLANS, type Statement } from '../interface.ts'
import { tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { NotRun } from '../verdicts.ts'
import { oneAnimal, sendForLimits } from './answers.ts'
import { briefList, drain, overLimit, readLimits } from './over-limit.ts'

/** `what` completes the title "How …" and begins the sentence of the report. */
type Observation<Subject> = readonly [id: string, cites: Statement, what: string, subject: Subject]

function rows<Subject>(
  table: readonly Observation<Subject>[],
  tell: (kit: Kit, subject: Subject, what: string) => Promise<string>,
  more: Partial<CaseInSection> = {},
): readonly CaseInSection[] {
  return table.map(([id, cites, what, request]) => ({
    id,
    title: `How ${what} is answered`,
    cites: [cites],
    ...more,
    run: async (kit) => {
      const sentence = await tell(kit, request, what)
      return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
    },
  }))
}

/** An observation that takes more than one request. */
function look(
  id: string,
  cites: Case['cites'],
  title: string,
  run: (kit: Kit) => Promise<string>,
  needs: Case['needs'] = [],
): CaseInSection {
  return { id, title, cites, needs, run }
}

const LISTS: readonly Observation<string>[] = [
  ['limit-0', 'O16', 'limit=0', '?limit=0'],
  ['limit-101', 'O16', 'limit=101', '?limit=101'],
  ['limit-negative', 'O16', 'limit=-1', '?limit=-1'],
  ['limit-word', 'O16', 'limit=many', '?limit=many'],
  ['limit-empty', 'O16', 'an empty limit', '?limit='],
  ['limit-fraction', 'O16', 'limit=5.0', '?limit=5.0'],
  ['limit-leading-zero', 'O16', 'limit=05', '?limit=05'],
  ['limit-huge', 'O16', 'a limit beyond 64 bits', '?limit=18446744073709551617'],
  ['limit-twice', 'O16', 'limit given twice', '?limit=1&limit=2'],
  ['status-unknown', 'O16', 'status=lost', '?status=lost'],
  ['status-upper-case', 'O16', 'status=SOLD', '?status=SOLD'],
  ['status-empty', 'O16', 'an empty status', '?status='],
  ['status-twice', 'O16', 'status given twice', '?status=sold&status=pending'],
  ['query-unknown', 'O17', 'a query parameter that the interface does not know', '?limit=1&colour=red'],
]

async function toldOfList(kit: Kit, query: string): Promise<string> {
  const exchange = await kit.send(listPets(query))
  const json = tryJson(exchange.answer)?.value
  const count = Array.isArray(json) ? `, with ${json.length} ${json.length === 1 ? 'animal' : 'animals'}` : ''
  return `GET /pets${query}: ${outcome(exchange)}${count}`
}

const IDS: readonly Observation<string>[] = [
  ['get-word', 'O18', 'the id rex in the path', 'rex'],
  ['get-too-large', 'O18', 'the id 9223372036854775808 in the path', '9223372036854775808'],
  ['get-fraction', 'O18', 'the id 1.0 in the path', '1.0'],
  ['get-leading-zero', 'O18', 'the id 007 in the path', '007'],
  ['get-plus', 'O18', 'the id +1 in the path', '+1'],
  ['get-space', 'O18', 'the id %20 in the path', '%20'],
]

const OF_KEYS: readonly Observation<HttpRequest>[] = [
  ['auth-list-invalid-without-key', 'O22', 'an invalid limit without a key', listPets('?limit=0', {})],
  ['auth-scheme-lower-case', 'O23', 'the scheme bearer', listPets('?limit=1', { Authorization: `bearer ${KEY}` })],
  ['auth-before-body', 'O22', 'an invalid creation without a key', createPet('{}', {})],
  ['auth-before-path', 'O22', 'an unknown path without a key', { ...listPets('', {}), path: '/no-such-path' }],
]

const toldOf = async (kit: Kit, request: HttpRequest, what: string): Promise<string> =>
  `${what}: ${outcome(await kit.send(request))}`

/** `body` is given a valid name as JSON text. */
interface Creation {
  readonly body: (name: string) => string | Buffer
  readonly type?: Readonly<Record<string, string>>
}

const withCategory =
  (text: string): Creation['body'] =>
  (name) =>
    `{"name":${name},"categoryId":${text}}`
const withNameTail =
  (tail: string): Creation['body'] =>
  (name) =>
    `{"name":${name.slice(0, -1)}${tail}","categoryId":1}`
const as = (type: Creation['type']): Creation => ({ body: withCategory('1'), type: type ?? {} })
const json = 'application/json'

const CREATIONS: readonly Observation<Creation>[] = [
  ['create-with-unknown-field', 'O17', 'a creation with a field colour', { body: withCategory('1,"colour":"red"') }],
  ['create-category-point-zero', 'O20', 'a categoryId of 7.0', { body: withCategory('7.0') }],
  ['create-category-exponent', 'O20', 'a categoryId of 7e0', { body: withCategory('7e0') }],
  ['create-field-twice', 'O20', 'categoryId given twice, 7 and then 8,', { body: withCategory('7,"categoryId":8') }],
  ['create-byte-order-mark', 'O20', 'a byte order mark', { body: (name) => `\uFEFF{"name":${name},"categoryId":1}` }],
  [
    'create-broken-utf8',
    'O20',
    'a name that is not valid UTF-8',
    { body: (name) => Buffer.from(`{"name":${name.slice(0, -1)}\xFF","categoryId":1}`, 'latin1') },
  ],
  ['create-name-nul', 'O19', 'a name that holds U+0000', { body: withNameTail('\\u0000') }],
  ['create-name-surrogate', 'O19', 'a name that holds half of a surrogate pair', { body: withNameTail('\\ud83d') }],
  ['create-name-empty', 'O19', 'an empty name', { body: () => '{"name":"","categoryId":1}' }],
  ['create-category-unheard-of', 'O1', 'a categoryId that no one has heard of', { body: withCategory('7086219') }],
  ['create-charset', 'O23', 'application/json; charset=utf-8', as({ 'Content-Type': `${json}; charset=utf-8` })],
  ['create-text-plain', 'O23', 'a creation as text/plain', as({ 'Content-Type': 'text/plain' })],
  ['create-no-type', 'O23', 'a creation without a Content-Type', as({})],
  ['create-content-coding', 'O23', 'a claim of gzip', as({ 'Content-Type': json, 'Content-Encoding': 'gzip' })],
]

/** A large body without a required field, so that no server stores it. A proxy may refuse it by itself. */
const LARGE: readonly Observation<Creation>[] = [
  [
    'create-large-body',
    'O19',
    'a creation of a little over 1 MiB',
    { body: (name) => `{"name":${name.slice(0, -1)}${'a'.repeat(2 ** 20 + 2 ** 16)}"}` },
  ],
]

async function toldOfCreation(kit: Kit, { body, type }: Creation, what: string): Promise<string> {
  const exchange = await kit.trySend(createPet(body(JSON.stringify(`${kit.namePrefix}o`)), WITH_KEY, type))
  const came = typeof exchange === 'string' ? `no answer, ${exchange}` : creationOutcome(exchange)
  return `${what.replace(/,$/, '')}: ${came}`
}

/** The attempts at a measurement: a window may end in the middle of one. */
const ATTEMPTS = 3

const COSTS: readonly Observation<HttpRequest>[] = [
  ['cost-400', 'O13', 'a request answered with 400', createPet('{}')],
  ['cost-head', 'O13', 'a HEAD', { ...listPets('?limit=1'), method: 'HEAD' }],
  ['cost-401', 'O13', 'a request without a key, for the key', listPets('', {})],
]

/** How much one `request` reduces Remaining, by the answers before and after it. */
async function costOf(kit: Kit, request: HttpRequest, what: string): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = (await sendForLimits(kit, oneAnimal)).headers
    await kit.send(request)
    const after = (await sendForLimits(kit, oneAnimal)).headers
    if (before.limit !== after.limit || before.resetS !== after.resetS) continue
    const cost = before.remaining - after.remaining - 1
    return `cost of ${what}: ${cost} ${cost === 1 ? 'request' : 'requests'}`
  }
  throw new NotRun('the limit or its reset changed from one request to the next')
}

const PLAN_LIMITS = Object.entries(PLANS).flatMap(([plan, { perMinute, perDay }]) => [
  { limit: perMinute, meaning: `the requests per minute of the plan ${plan}` },
  { limit: perDay, meaning: `the requests per day of the plan ${plan}` },
])

const ofSection = (section: Section, ...cases: readonly CaseInSection[]): readonly Case[] => inSection(section, cases)

export const openCases: readonly Case[] = [
  ...ofSection(
    '4.1 List animals',
    look('filter-without-status', ['O4'], 'Where an animal is found that was created without a status', async (kit) => {
      const { id } = await animal(kit, ANIMALS.withoutStatus)
      const statuses: string[] = []
      for (const status of PET_STATUSES) {
        const pets = expectPets(await kit.send(listPets(`?status=${status}&limit=${FULL}`)), FULL)
        if (pets.some((pet) => pet.id === id)) statuses.push(status)
      }
      return `Created without a status: shown by ${statuses.length === 0 ? 'no status filter' : `the filter ${statuses.join(' and ')}`}.`
    }),
    look('order', ['O5'], 'In which order the list comes', async (kit) => {
      const ids = expectPets(await kit.send(listPets()), FULL).map((pet) => pet.id)
      const rises = ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))
      const falls = ids.every((id, i) => i === 0 || id < (ids[i - 1] ?? id))
      return `Order of the list: by ${rises ? 'rising id' : falls ? 'falling id' : 'something else than the id'}.`
    }),
    look('paging', ['O6'], 'Whether the list says how to page on, or how many animals there are', async (kit) => {
      const { answer } = await kit.send(oneAnimal)
      const signs = answer.headers.filter(([name]) => /^link$|total|count|range|next|page/i.test(name))
      if (signs.length === 0) return 'Paging on beyond limit, and a total: no header tells.'
      return `Paging on beyond limit, or a total: ${signs.map(([name]) => `${name}: ${header(answer, name)}`).join('; ')}.`
    }),
    ...rows(LISTS, toldOfList),
    ...rows([['list-trailing-slash', 'O23', 'GET /pets/', { ...listPets(), path: '/pets/' }]], toldOf),
  ),
  ...ofSection(
    '4.2 Add an animal',
    ...rows(CREATIONS, toldOfCreation, { needs: ['thorough'] }),
    ...rows(LARGE, toldOfCreation, { level: 'strict', cites: ['O19', 'O23'] }),
    look('create-location', ['O23'], 'Whether a 201 says where the animal is found', async (kit) => {
      const { exchange } = await kit.once(ANIMALS.available)
      return `Where a created animal is found: ${withHeaders(exchange, 'Location').slice(2) || 'no Location'}.`
    }),
  ),
  ...ofSection(
    '4.3 Get an animal',
    ...rows(IDS, async (kit, id) => `GET /pets/${id}: ${outcome(await kit.send(getPet(id)))}`, { needs: ['getPet'] }),
    look(
      'get-percent-encoded',
      ['O18'],
      'Whether the digits of an id may be percent-encoded',
      async (kit) => {
        const { id } = await animal(kit, ANIMALS.available)
        const encoded = String(id).replace(/\d/g, (digit) => `%3${digit}`)
        return `GET /pets/${encoded} for the id ${id}: ${outcome(await kit.send(getPet(encoded)))}.`
      },
      ['getPet'],
    ),
  ),
  ...ofSection(
    '5 Authentication',
    ...rows(OF_KEYS, toldOf),
    look('auth-challenge', ['O23'], 'Whether a 401 names the scheme to use, as HTTP has it', async (kit) => {
      const challenge = withHeaders(await kit.once(WITHOUT_KEY.listPets), 'WWW-Authenticate').slice(2)
      return `Challenge of a 401: ${challenge || 'no WWW-Authenticate'}.`
    }),
  ),
  ...ofSection(
    '8 Limit headers',
    look('limit-plan', ['R14', 'O10'], 'Which limit is in force, and whether it is one of a plan', async (kit) => {
      const { limit } = (await sendForLimits(kit, oneAnimal)).headers
      const meaning = PLAN_LIMITS.filter((plan) => plan.limit === limit).map((plan) => plan.meaning)
      return `Limit in force: ${limit}, ${meaning.join(', or ') || 'no figure of a listed plan'}.`
    }),
    look('limit-window', ['O11', 'O12'], 'Which window the headers describe, and when it ends', async (kit) => {
      const { exchange, headers } = await sendForLimits(kit, oneAnimal)
      const aheadS = headers.resetS - Math.floor(exchange.atMs / 1000)
      const edge =
        headers.resetS % 86_400 === 0 ? 'of a UTC day' : headers.resetS % 60 === 0 ? 'of a minute' : undefined
      return `Window of the limit headers: it resets in ${aheadS} s, at ${edge === undefined ? 'neither the end of a minute nor of a day' : `the end ${edge}`}.`
    }),
    ...rows(COSTS, costOf),
    ...rows([['cost-404', 'O13', 'a fetch answered with 404', getPet(UNUSED_ID)]], costOf, { needs: ['getPet'] }),
    look('limit-401', ['O14'], 'What the limit headers of a 401 describe', async (kit) => {
      const first = (await sendForLimits(kit, listPets('', {}))).headers
      const second = (await sendForLimits(kit, listPets('', {}))).headers
      const falls = second.remaining < first.remaining ? 'falling' : 'not falling'
      return `Limit headers of a 401: limit ${second.limit}, ${second.remaining} remaining, ${falls} from one 401 to the next.`
    }),
  ),
]

const OVER_LIMIT: readonly Observation<HttpRequest>[] = [
  ['over-limit-invalid', 'O22', 'an invalid creation over the limit', createPet('{}', WITH_LIMITED_KEY)],
  ['over-limit-path', 'O22', 'an unknown path over the limit', { ...briefList, path: '/no-such-path' }],
  ['over-limit-head', 'O22', 'HEAD /pets over the limit', { ...briefList, method: 'HEAD' }],
]

/** Run after all cases that wait, because their refusals may bring a ban (R17). */
export const openOverLimitCases = inSection(
  '8 Over the limit',
  [
    look('retry-after-and-reset', ['O11', 'O12'], 'How Retry-After and X-RateLimit-Reset go together', async (kit) => {
      const { refusal } = await kit.once(drain)
      const resetS = readLimits(refusal)?.resetS
      const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
      if (resetS === undefined || waitMs === undefined) throw new NotRun('one of them is missing or malformed')
      const toResetS = Math.round(resetS - refusal.atMs / 1000)
      return `Retry-After and reset of a 429: ${Math.round(waitMs / 1000)} s and ${toResetS} s ahead.`
    }),
    ...rows(OVER_LIMIT, async (kit, request, what) => `${what}: ${outcome(await overLimit(kit, request))}`),
    look('over-limit-other-key', ['O10'], 'Whether another key goes on being served', async (kit) => {
      await kit.once(drain)
      return `Another key while one is over its limit: ${outcome(await kit.send(oneAnimal))}.`
    }),
    look('over-limit-ban', ['R17', 'O15'], 'Whether the refusals of this run brought a ban', async (kit) => {
      const { refusal } = await kit.once(drain)
      const latest = await overLimit(kit, briefList)
      const refusals = kit.exchanges.filter(({ answer }) => answer.status === 429).length
      const [first, last] = [refusal, latest].map((exchange) => readLimits(exchange)?.resetS)
      const isLonger = first !== undefined && last !== undefined && last > first + 60
      return `A key after ${refusals} refusals: ${outcome(latest)}${withHeaders(latest, 'Retry-After')}, ${isLonger ? 'which looks like a ban' : 'no ban'}.`
    }),
  ].map((each) => ({ ...each, needs: ['limited key'] as const })),
  { restsOn: ['over-limit-429'] },
)

/** Run at the end, over all answers of the run. */
export const openSweepCases = ofSection(
  'Every answer of this run',
  look('error-codes', ['O8'], 'Which codes were seen', async (kit) => {
    const codesByStatus = new Map<number, Set<string>>()
    for (const { answer } of kit.exchanges) {
      const code = errorCodeOf(answer)
      if (code !== undefined)
        codesByStatus.set(answer.status, (codesByStatus.get(answer.status) ?? new Set()).add(code))
    }
    const byStatus = [...codesByStatus]
      .sort(([a], [b]) => a - b)
      .map(([code, codes]) => `${code} ${[...codes].join(', ')}`)
    return `Codes seen: ${byStatus.join('; ') || 'none'}.`
  }),
)
