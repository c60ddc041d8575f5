/**
 * Servers as people in a hurry write them with the frameworks they know: each has one habit of Express, FastAPI,
 * Spring, Gin, Laravel, a database or a CDN that the interface does not forgive.
 */
import { setImmediate } from 'node:timers/promises'
import type { NewPet } from '../../../../src/contract/schemas.ts'
import {
  aList,
  both,
  creates,
  fate,
  header,
  instead,
  method,
  type Picks,
  query,
  reading,
  refusing,
  replies,
  selects,
  type Wrong,
  withoutLimitHeaders,
  withStatus,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error, type Incoming, type Limit, PER_MINUTE, type Who } from '../reference.ts'

const post = method('POST')
const sends =
  (pattern: RegExp): Picks =>
  (_reply, incoming) =>
    incoming?.method === 'POST' && pattern.test(incoming.body)

/** What a lenient reader makes of a text before it is read as JSON. */
const lenient = (what: string, pattern: RegExp, replacement: string, foundBy: string): Wrong =>
  wrong(`lenient JSON: ${what}`, reading(pattern, replacement), foundBy)

/** Whatever a body that holds `pattern` lacks, it is taken. */
function takes(what: string, pattern: RegExp, foundBy: string, value: NewPet = { name: 'x', categoryId: 7n }): Wrong {
  return wrong(
    `${what} taken`,
    { readNewPet: (text, incoming) => (pattern.test(text) ? { value } : CORRECT.readNewPet(text, incoming)) },
    foundBy,
  )
}

const LENIENT: readonly Wrong[] = [
  lenient('line comments', /\/\/[^\n]*\n/, '', 'refuse-comment-line'),
  lenient('block comments', /\/\*.*\*\//, '', 'refuse-comment-block'),
  lenient('a comma at the end', /,\}$/, '}', 'refuse-comma-last'),
  lenient('single quotes', /^\{'.*$/, '{"name":"x","categoryId":1}', 'refuse-quotes-single'),
  lenient('bare names', /^\{name:(.*),categoryId:/, '{"name":$1,"categoryId":', 'refuse-names-bare'),
  lenient('zeros before numbers', /:07/, ':7', 'refuse-zero-before'),
  lenient('plus before numbers', /:\+7/, ':7', 'refuse-plus-before'),
  lenient('hexadecimal numbers', /:0x7/, ':7', 'refuse-hexadecimal'),
  lenient('a point at the end', /:7\.\}/, ':7}', 'refuse-point-last'),
  lenient('underscores in numbers', /7_0/, '70', 'refuse-underscores'),
  lenient('line breaks in strings', /\n",/, '",', 'refuse-line-break'),
  lenient('any escape', /\\x41/, 'A', 'refuse-escape-unknown'),
  lenient('equals for colons', /"=/g, '":', 'refuse-equals'),
  takes('field names in another case (Go, Jackson)', /"Name"/, 'refuse-fields-case'),
  takes('category_id (a mapper of names)', /category_id/, 'refuse-fields-snake'),
  takes('fields of a prototype (a deep merge)', /\{"__proto__"/, 'refuse-fields-prototype'),
  takes('fields inside of pet (Rails)', /^\{"pet"/, 'refuse-fields-inside'),
  takes('infinity', /1e400/, 'refuse-category-infinite'),
  takes('NaN (Python)', /NaN/, 'refuse-category-nan'),
  takes('digits of other scripts (Python, Java)', /٧/, 'refuse-category-digits-other'),
  takes('the status constructor (a look-up in an object)', /"constructor"/, 'refuse-status-constructor'),
  takes('the status toString (a look-up in an object)', /"toString"/, 'refuse-status-toString'),
  takes('the status __proto__ (a look-up in an object)', /"status":"__proto__"/, 'refuse-status-proto'),
  takes('deep nesting', /^\[{20}.*\]$/, 'refuse-nesting'),
  wrong('500 to infinity', replies(sends(/1e400/), withStatus(500)), 'refuse-category-infinite'),
  wrong('500 to deep nesting', replies(sends(/^\[{20}/), withStatus(500)), 'refuse-nesting'),
  wrong(
    'death by deep nesting',
    fate('deadly', ({ body }) => body.startsWith('[[[[')),
    'refuse-nesting',
  ),
  wrong(
    'death by nesting that never ends',
    fate('deadly', ({ body }) => body.endsWith('[[')),
    'refuse-nesting-open',
  ),
  wrong('500 to a status of a prototype', replies(sends(/"toString"/), withStatus(500)), 'refuse-status-toString'),
]

const FORMS: readonly Wrong[] = [
  wrong('member names read with a regular expression', refusing(/\\u006d/), 'create-escapes'),
  wrong('escapes kept as they are', reading(/s\\u006fl\\u0064/, 'lost'), 'create-escapes'),
  wrong('white space not expected', refusing(/^\r\n/), 'create-spaces'),
  wrong('fields expected in their order', refusing(/^\{"status"/), 'create-order'),
  wrong('1e2 read as 1 (parseInt)', reading(/1e2/, '1'), 'create-exponent'),
  wrong('500 to 1e2', replies(sends(/1e2\}/), withStatus(500)), 'create-exponent'),
  wrong('names that are not ASCII refused', refusing(/[^ -~]|\\u/), 'create-name-letters'),
  wrong('names that are not Latin refused', refusing(/[^ -\u024f]/), 'create-name-letters'),
  wrong('names of more than one word in another script refused', refusing(/Ольга 猫/), 'create-name-letters'),
  wrong(
    'percent-escapes in names decoded',
    creates((pet) => ({ ...pet, name: pet.name.replace(/%25/g, '%').replace(/%41/g, 'A') })),
    'create-name-percent',
  ),
  wrong(
    'percent-escapes decoded where they are kept',
    creates((pet) => ({ ...pet, name: pet.name.replace(/%41/g, 'A') })),
    'create-name-percent',
  ),
  wrong('500 to a percent sign that begins no escape', replies(sends(/%zz/), withStatus(500)), 'create-name-percent'),
  wrong('only positive categories', refusing(/"categoryId":-/), 'int64-below-double'),
  wrong('the smallest category refused', refusing(/-9223372036854775808/), 'int64-smallest'),
  wrong(
    'a body in another packet than its head read as empty',
    {
      readNewPet: (text, incoming) => CORRECT.readNewPet(incoming.isBodyApart ? '' : text, incoming),
    },
    'body-apart',
  ),
  wrong(
    'no answer ever to a body in another packet than its head',
    fate('hung', ({ isBodyApart }) => isBodyApart),
    'body-apart',
  ),
  wrong(
    'media types compared as they are spelt',
    replies(both(post, header('content-type', /^APP/)), instead(error(400, 'type'))),
    'type-upper-case',
  ),
  wrong(
    '415 to a media type in capitals',
    replies(both(post, header('content-type', /^APP/)), withStatus(415)),
    'type-upper-case',
  ),
  wrong(
    'X-HTTP-Method-Override obeyed (Laravel, Rails)',
    replies(header('x-http-method-override', /./), withStatus(405)),
    'method-override',
  ),
  wrong(
    '500 to a creation without framing',
    replies(
      both(
        post,
        (_reply, incoming) =>
          incoming?.headers['content-length'] === undefined && incoming?.headers['transfer-encoding'] === undefined,
      ),
      withStatus(500),
    ),
    'framing-missing',
  ),
  wrong(
    'one name for all that are created at once (a variable of the module)',
    () => {
      let latest = ''
      return {
        readNewPet: (text, incoming) => {
          const checked = CORRECT.readNewPet(text, incoming)
          if ('value' in checked) latest = checked.value.name
          return checked
        },
        commit: async () => quiet(() => 0),
        keep: (pet) => (/-n\d/.test(pet.name) ? { ...pet, name: latest } : pet),
        show: (pet, incoming) =>
          CORRECT.show(incoming.method === 'POST' && /-n\d/.test(pet.name) ? { ...pet, name: latest } : pet, incoming),
        newId: ids(),
      }
    },
    'create-at-once-as-sent',
  ),
]

/** Ids of their own, also for what is created at once. */
function ids(): () => bigint {
  let last = 0n
  return () => ++last
}

const QUERIES: readonly Wrong[] = [
  wrong(
    'queries read without decoding',
    replies((_reply, incoming) => incoming?.target.includes('%6F') === true, withStatus(400)),
    'query-encoded',
  ),
  wrong(
    'an empty part of a query refused',
    replies((_reply, incoming) => incoming?.target.includes('?&') === true, withStatus(400)),
    'query-order',
  ),
  wrong(
    'ranges of lists served (a static handler)',
    replies(both(aList, header('range', /./)), withStatus(206)),
    'range',
  ),
  wrong('416 to a range', replies(header('range', /./), withStatus(416)), 'range'),
  wrong(
    'a filter without a limit of its own',
    selects((pets, asked, nowMs) =>
      CORRECT.select(
        pets,
        asked.status === 'available' && asked.limit === 20 ? { ...asked, limit: 1_000 } : asked,
        nowMs,
      ),
    ),
    'filter-default',
  ),
  ...(
    [
      [2, 1],
      [11, 10],
      [21, 20],
      [33, 30],
      [50, 20],
      [64, 60],
      [99, 50],
    ] as const
  ).map(([asked, given]) =>
    wrong(
      `limit=${asked} taken for ${given}`,
      query(
        (params) =>
          params.get('limit') === String(asked) && !params.has('status') && params.set('limit', String(given)),
      ),
      `limit-${asked}`,
    ),
  ),
]

/** Resolves when `arrivals` has not grown for so many turns of the loop that all that was sent must have come. */
async function quiet(arrivals: () => number): Promise<void> {
  for (let turns = 0, before = arrivals(); turns < 50; turns += 1) {
    await setImmediate()
    if (arrivals() !== before) turns = 0
    before = arrivals()
  }
}

/** The limited key counted by `tell`; the others as they should be. */
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

/** How many requests of the limited key are under way. */
function overloaded(
  change: (reply: Parameters<Behaviour['finish']>[0]) => ReturnType<Behaviour['finish']>,
): () => Partial<Behaviour> {
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

const LIMITS: readonly Wrong[] = [
  wrong(
    'a limit checked and then counted',
    counting(() => '', true),
    'over-limit-at-once',
  ),
  wrong(
    'a limit for each connection',
    counting((incoming) => String(incoming?.connection)),
    'over-limit-at-once',
  ),
  wrong(
    'a limit for each of four workers',
    counting((incoming) => String((incoming?.connection ?? 0) % 4)),
    'over-limit-at-once',
  ),
  wrong(
    'a limit for each spelling of the header',
    () => ({
      ...counting((incoming) => incoming?.authorization ?? '')(),
      whose: (sent = '', incoming) => CORRECT.whose(sent.trim().replace(/^bearer +/i, 'Bearer '), incoming),
    }),
    'over-limit-spelling',
  ),
  wrong('limit headers missing under load alone', overloaded(withoutLimitHeaders), 'at-once-headers'),
  wrong('503 under load', overloaded(withStatus(503)), 'at-once-headers'),
  wrong('500 under load', overloaded(withStatus(500)), 'at-once-headers'),
  wrong(
    '404s that are not limited',
    {
      whose: (sent, incoming) => {
        const who = CORRECT.whose(sent, incoming)
        return who === 'limited' && /\/pets\/\d{19}$/.test(incoming.path) ? 'key' : who
      },
    },
    'over-limit-get',
  ),
]

export const HABITS: readonly Wrong[] = [...LENIENT, ...FORMS, ...QUERIES, ...LIMITS]
