/** The requests of a history. Steps know keys and animals only by fractions, so each works without the steps before. */
import fc from 'fast-check'
import type { Operation } from '../../../src/contract/operations.ts'
import { isInForce, type Key } from '../../model/operator.ts'
import { readRequest } from '../../model/request.ts'
import { hold, type Instant } from '../held.ts'
import { fraction, type History, pickOf, stepsOf } from '../history.ts'
import { Finding } from '../part.ts'
import type { Place } from '../place.ts'
import type { State } from '../state.ts'

/** Clients behind the proxy 127.0.0.1, and their subjects (O14). Without the header the proxy itself counts. */
const CLIENTS = [
  { forwarded: undefined, address: '127.0.0.1' },
  { forwarded: '192.0.2.7', address: '192.0.2.7' },
  { forwarded: '192.0.2.8:4711', address: '192.0.2.8' },
  { forwarded: '2001:db8::7', address: '2001:db8:0:0::/64' },
  { forwarded: '[2001:db8::1:9]:80', address: '2001:db8:0:0::/64' },
] as const

interface Ask {
  readonly method: string
  readonly target: string
  readonly body: string | undefined
  /** A fraction of the keys in force, or of all that there ever were; none, or one that nobody was given. */
  readonly key: { readonly of: 'in force' | 'all'; readonly at: number } | 'none' | 'unknown'
  readonly pick: number
  readonly client: number
  /** So many of them one behind the other, without waiting for answers. */
  readonly times: number
}

const UNKNOWN_KEY = 'pets_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const BODIES = [
  '{"name":"Luna","categoryId":7,"status":"available"}',
  '{"name":"LUNA","categoryId":7}',
  '{"name":"Zoë","categoryId":9223372036854775807,"status":"pending"}',
  '{"name":"zoe 2","categoryId":-9223372036854775808,"status":"sold"}',
  '{"name":"","categoryId":7.0}',
  '{"name":"Milo \\u00e9","categoryId":1e2,"status":"sold","extra":[{"id":1}]}',
]
const BAD_BODIES = [
  '{"name":"Luna"}',
  '{"name":"Luna","categoryId":"7"}',
  '{"name":"Luna","categoryId":7,"status":null}',
  '{"name":"Luna","categoryId":7,"status":"Sold"}',
  '{"name":"Luna","categoryId":9223372036854775808}',
  '{"name":"Luna","categoryId":7,"id":3}',
  '{"name":"Luna","categoryId":7',
  '',
  `{"name":"${'long '.repeat(200)}","categoryId":7}`,
]
const LISTS = ['', '?limit=1', '?limit=3', '?limit=100', '?status=sold', '?status=available&limit=2', '?status=pending']
const BAD_LISTS = ['?limit=0', '?limit=101', '?limit=05', '?limit=', '?status=none', '?status=sold&status=sold']

const usualKey = fc.oneof(
  { weight: 16, arbitrary: fc.record({ of: fc.constant('in force' as const), at: fraction() }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant('all' as const), at: fraction() }) },
  { weight: 1, arbitrary: fc.constantFrom('none' as const, 'unknown' as const) },
)
const common = {
  pick: fraction(),
  client: fc.nat(CLIENTS.length - 1),
  times: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 8 }) }),
}
const askFor = (method: string, targets: readonly string[], bodies: readonly (string | undefined)[] = [undefined]) =>
  fc.record({
    method: fc.constant(method),
    target: fc.constantFrom(...targets),
    body: fc.constantFrom(...bodies),
    key: usualKey,
    ...common,
  })

const listsBy = (queries: readonly string[]) => queries.map((query) => `/v1/pets${query}`)

interface Weighted {
  readonly weight: number
  readonly draw: fc.Arbitrary<Ask>
}

/** The usual requests of each operation; an operation without them is a type error. */
const OF_OPERATIONS: Readonly<Record<Operation, Weighted>> = {
  listPets: { weight: 16, draw: askFor('GET', listsBy(LISTS)) },
  getPet: { weight: 14, draw: askFor('GET', ['/v1/pets/{ID}']) },
  createPet: { weight: 16, draw: askFor('POST', ['/v1/pets'], BODIES) },
}

const asks: readonly Weighted[] = [
  ...Object.values(OF_OPERATIONS),
  { weight: 3, draw: askFor('POST', ['/v1/pets'], BAD_BODIES) },
  { weight: 2, draw: askFor('GET', listsBy(BAD_LISTS)) },
  { weight: 2, draw: askFor('HEAD', ['/v1/pets', '/v1/pets/{ID}', '/v1/pets/0', '/v1/store/orders']) },
  { weight: 1, draw: askFor('GET', ['/v1/store/orders', '/v1/nothing', '/v1/pets/-7', '/v1/pets/%zz']) },
  { weight: 1, draw: askFor('DELETE', ['/v1/pets/{ID}', '/v1/pets']) },
  { weight: 1, draw: askFor('FOO', ['/v1/pets']) },
]

function keyOf({ key }: Pick<Ask, 'key'>, { keys }: State, nowMs: number): Key | undefined {
  if (typeof key === 'string') return undefined
  const all = [...keys.values()]
  const inForce = key.of === 'all' ? [] : all.filter((each) => isInForce(each, nowMs))
  return pickOf(inForce.length > 0 ? inForce : all, key.at)
}

function bytesOf(ask: Ask, state: State, nowMs: number): string {
  const { method, body, client } = ask
  const secret = ask.key === 'unknown' ? UNKNOWN_KEY : keyOf(ask, state, nowMs)?.secret
  const forwarded = CLIENTS[client]?.forwarded
  const bytes = body === undefined ? undefined : Buffer.from(body).toString('latin1')
  const lines = [
    `${method} ${targetOf(ask, state)} HTTP/1.1`,
    'Host: x',
    ...(secret === undefined ? [] : [`Authorization: Bearer ${secret}`]),
    ...(forwarded === undefined ? [] : [`X-Forwarded-For: ${forwarded}`]),
    ...(bytes === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${bytes.length}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${bytes ?? ''}`
}

function targetOf({ target, pick }: Ask, { given }: State): string {
  return target.replace('{ID}', String(pickOf([...given], pick) ?? 1n))
}

/** The same for a shell, with the keys by their numbers. */
function lineOf(ask: Ask, state: State, nowMs: number): string {
  const { method, body, client, times } = ask
  const key = keyOf(ask, state, nowMs)
  const number = key && [...state.keys.keys()].indexOf(key.id) + 1
  const named = ask.key === 'unknown' ? UNKNOWN_KEY : number === undefined ? undefined : `$KEY${number}`
  const forwarded = CLIENTS[client]?.forwarded
  const parts = [
    method === 'HEAD' ? 'curl -I' : method === 'GET' ? 'curl -i' : `curl -i -X ${method}`,
    ...(named === undefined ? [] : [`-H "Authorization: Bearer ${named}"`]),
    ...(forwarded === undefined ? [] : [`-H 'X-Forwarded-For: ${forwarded}'`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${body}'`]),
    `"$HOST${targetOf(ask, state)}"`,
  ]
  return `${parts.join(' ')}${times === 1 ? '' : ` # ${times} times on one connection, one behind the other`}`
}

export const asking = asks.map(({ weight, draw }) => stepsOf({ name: 'ask', weight, draw, play: ask }))

/** Sends a request, or several of one kind, and holds each answer to the model. */
export async function ask(history: History, place: Place, ask: Ask): Promise<void> {
  const fromMs = place.nowMs()
  history.tell(lineOf(ask, history.state, fromMs))
  const bytes = bytesOf(ask, history.state, fromMs)
  const reading = readRequest(bytes)
  if (reading.kind === 'incomplete') throw new Error('a request of a history is whole')
  // The parser knows no header of what it refuses, so this counts for the peer.
  const address = reading.kind === 'refused' ? '127.0.0.1' : (CLIENTS[ask.client]?.address ?? '127.0.0.1')
  const answers = await place.ask(bytes.repeat(ask.times), new Array<string>(ask.times).fill(ask.method))
  const instants = instantsOf(history, fromMs, place.nowMs())
  for (const answer of answers) {
    const wrong = hold(history.state, history.settings, { reading, address }, answer, instants)
    if (wrong !== undefined) throw new Finding(wrong)
  }
  const ended = answers.at(-1)?.headers.get('connection') === 'close'
  if (answers.length < ask.times && !ended) throw new Finding(`${answers.length} answers to ${ask.times} requests`)
}

/** If the clock advances, the response can be of each second; if nodes keep keys for a while, also of then. */
function instantsOf({ state, earlierKeys }: History, fromMs: number, toMs: number): Instant[] {
  const times = [fromMs]
  for (let atMs = fromMs - (fromMs % 1_000) + 1_000; atMs < toMs; atMs += 1_000) times.push(atMs)
  if (toMs > fromMs) times.push(toMs)
  const kept = earlierKeys.filter(({ untilMs }) => fromMs < untilMs)
  const states = [state, ...kept.map(({ key }) => ({ ...state, keys: new Map(state.keys).set(key.id, key) }))]
  return states.flatMap((state) => times.map((nowMs) => ({ nowMs, state })))
}
