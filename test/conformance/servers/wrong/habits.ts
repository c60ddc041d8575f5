/**
 * Servers as people in a hurry write them with the frameworks they know, or as a firewall makes them: wrong about how
 * ordinary clients write their requests, and about requests that come at once (R3, R7, R9, R10, R13, R16).
 */
import {
  both,
  header,
  instead,
  method,
  query,
  quiet,
  replies,
  sends,
  type Wrong,
  withoutLimitHeaders,
  withStatus,
  wrong,
} from '../mutate.ts'
import {
  type Behaviour,
  CORRECT,
  error,
  type Incoming,
  type Limit,
  PER_MINUTE,
  type Reply,
  type Who,
} from '../reference.ts'
import { ids } from './answers.ts'

const post = method('POST')

/** The status by which each client is kept out, whatever it asks for. */
const KEPT_OUT: readonly (readonly [id: string, userAgent: RegExp, status: number])[] = [
  ['curl', /^curl/, 403],
  ['wget', /^Wget/, 406],
  ['ab', /^ApacheBench/, 426],
  ['go', /^Go-/, 410],
  ['python', /^Python-/, 404],
  ['requests', /^python-requests/, 418],
  ['java', /^Java-/, 501],
  ['fetch', /^node$/, 402],
]

/** The answer that is given where a framework takes the other side for a browser, or reads a request in its own way. */
const MISREAD: readonly (readonly [id: string, isAsked: (incoming: Incoming) => boolean, status: number])[] = [
  [
    'accept-any-400',
    ({ method, headers, body }) => method === 'POST' && headers.accept === '*/*' && body === '{}',
    302,
  ],
  ['accept-any-401', ({ authorization, headers }) => authorization === undefined && headers.accept === '*/*', 303],
  ['query-encoded', ({ target }) => target.includes('%6F'), 400],
  ['query-order', ({ target }) => target.includes('?&'), 404],
  ['range', ({ headers }) => headers.range !== undefined, 206],
  ['type-upper-case', ({ headers }) => headers['content-type'] === 'APPLICATION/JSON', 415],
  ['method-override', ({ headers }) => headers['x-http-method-override'] !== undefined, 405],
  ['body-apart', ({ isBodyApart }) => isBodyApart, 408],
]

const CLIENTS: readonly Wrong[] = wrong([
  [
    'clients kept out by a firewall, each with a status of its own',
    {
      finish: (reply, incoming) => {
        const userAgent = String(incoming?.headers['user-agent'])
        const [, , status] = KEPT_OUT.find(([, pattern]) => pattern.test(userAgent)) ?? []
        return status === undefined || incoming?.method !== 'GET' ? reply : { ...reply, status }
      },
    },
    ...KEPT_OUT.map(([id]) => `client-${id}`),
  ],
  ['406 to browsers', replies(header('accept', /^text\/html/), withStatus(406)), 'client-browser'],
  [
    'header names in capitals not known',
    {
      whose: (sent, incoming) =>
        incoming.rawHeaders.includes('AUTHORIZATION') ? 'address' : CORRECT.whose(sent, incoming),
    },
    'client-upper-case',
  ],
  [
    'creations by curl kept out',
    replies(both(post, header('user-agent', /^curl/)), instead(error(403, 'no'))),
    'client-creates-curl',
  ],
  [
    'no body read of who offers HTTP/2',
    {
      readNewPet: (text, incoming) => CORRECT.readNewPet(incoming.headers.upgrade === undefined ? text : '', incoming),
    },
    'client-creates-java',
  ],
  ['500 to who expects 100', replies(both(post, header('expect', /./)), withStatus(500)), 'client-creates-expect'],
  [
    'requests misread, each answered with a status of its own',
    {
      finish: (reply, incoming) => {
        const [, , status] = MISREAD.find(([, isAsked]) => incoming !== undefined && isAsked(incoming)) ?? []
        return status === undefined ? reply : { ...reply, status }
      },
    },
    ...MISREAD.map(([id]) => id),
  ],
  [
    'animals read with regular expressions',
    {
      readNewPet: (text, incoming) => {
        const isOddlySpaced = /^\r\n/.test(text)
        const isOddlyOrdered = /^\{"status"/.test(text)
        const read = CORRECT.readNewPet(text.replace(/s\\u006fl\\u0064/, 'lost').replace(/1e2/, '1'), incoming)
        if (!('value' in read)) return read
        if (isOddlySpaced) return { value: { ...read.value, name: 'spaced' } }
        return isOddlyOrdered ? { value: { ...read.value, status: 'pending' } } : read
      },
    },
    ...['create-escapes', 'create-spaces', 'create-order', 'create-exponent'],
  ],
  ['500 to a creation that escapes its names', replies(sends(/na\\u006de/), withStatus(500)), 'create-escapes'],
  [
    'the limit read of another parameter where a status is given',
    query((params) => params.has('status') && params.get('limit') === '2' && params.set('limit', '1')),
    'filter-with-limit',
  ],
])

/** The limited key counted by `bucket`; the others as they should be. */
function counting(bucket: (incoming: Incoming | undefined) => string, isLate = false): () => Partial<Behaviour> {
  return () => {
    const used = new Map<string, number>()
    let arrivals = 0
    const take = async (who: Who, nowMs: number, incoming: Incoming | undefined): Promise<Limit> => {
      arrivals += 1
      const minute = Math.floor(nowMs / 60_000)
      const key = `${minute} ${who} ${who === 'limited' ? bucket(incoming) : ''}`
      const limit = PER_MINUTE[who]
      const isOver = (used.get(key) ?? 0) >= limit
      if (isLate && who === 'limited') await quiet(() => arrivals)
      if (!isOver) used.set(key, (used.get(key) ?? 0) + 1)
      return { limit, remaining: Math.max(0, limit - (used.get(key) ?? 0)), resetS: (minute + 1) * 60, isOver }
    }
    return { take }
  }
}

/** Changes the answers to the limited key while several of its requests are under way. */
function overloaded(change: (reply: Reply) => Reply): () => Partial<Behaviour> {
  return () => {
    let arrivals = 0
    let underWay = 0
    const counted = counting(() => '')().take
    return {
      take: async (who, nowMs, incoming) => {
        arrivals += 1
        if (who === 'limited') {
          underWay += 1
          await quiet(() => arrivals)
        }
        return (await counted?.(who, nowMs, incoming)) as Limit
      },
      finish: (reply, incoming) => {
        if (CORRECT.whose(incoming?.authorization, incoming as Incoming) !== 'limited') return reply
        underWay -= 1
        return underWay >= 3 ? change(reply) : reply
      },
    }
  }
}

const AT_ONCE: readonly Wrong[] = wrong([
  ['a limit checked and then counted', counting(() => '', true), 'over-limit-at-once'],
  ['a limit for each connection', counting((incoming) => String(incoming?.connection)), 'over-limit-at-once'],
  [
    'a limit for each spelling of the header',
    () => ({
      ...counting((incoming) => incoming?.authorization ?? '')(),
      whose: (sent = '', incoming) => CORRECT.whose(sent.trim().replace(/^bearer +/i, 'Bearer '), incoming),
    }),
    'over-limit-spelling',
  ],
  ['limit headers missing under load alone', overloaded(withoutLimitHeaders), 'at-once-headers'],
  ['503 under load', overloaded(withStatus(503)), 'at-once-headers'],
  [
    'one name for all that are created at once (a variable of the module)',
    () => {
      let latest = ''
      const isFiller = (name: string): boolean => /-n\d/.test(name)
      return {
        readNewPet: (text, incoming) => {
          const checked = CORRECT.readNewPet(text, incoming)
          if ('value' in checked) latest = checked.value.name
          return checked
        },
        commit: async () => quiet(() => 0),
        keep: (pet) => (isFiller(pet.name) ? { ...pet, name: latest } : pet),
        show: (pet, incoming) =>
          CORRECT.show(incoming.method === 'POST' && isFiller(pet.name) ? { ...pet, name: latest } : pet, incoming),
        newId: ids(),
      }
    },
    'create-at-once-as-sent',
  ],
])

export const WRONG_HABITS: readonly Wrong[] = [...CLIENTS, ...AT_ONCE]
