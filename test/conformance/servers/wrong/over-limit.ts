/** Servers that are wrong about what comes over the limit (R16), and about the wait that they tell. */

import {
  replies,
  status,
  storesRefused,
  type Wrong,
  withBody,
  withHeader,
  without,
  withStatus,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT } from '../reference.ts'

const DAY_MS = 86_400_000

/** Requests with the limited key that `isFree` are counted for the other key, so that they are never over. */
const unlimited = (isFree: (method: string, path: string) => boolean): Partial<Behaviour> => ({
  whose: (sent, incoming) =>
    sent !== undefined && isFree(incoming.method, incoming.path) && CORRECT.whose(sent, incoming) === 'limited'
      ? 'key'
      : CORRECT.whose(sent, incoming),
})

const retryAfter = (value: Behaviour['retryAfter']): Partial<Behaviour> => ({ retryAfter: value })

/** Over the limit for longer than the window that the headers tell. */
function overFor(ms: number): () => Partial<Behaviour> {
  return () => {
    let overUntilMs = 0
    let now = 0
    return {
      resetS: (nowMs) => {
        now = nowMs
        return CORRECT.resetS(nowMs)
      },
      count: (used, who) => {
        const count = CORRECT.count(used, who)
        if (who !== 'limited') return count
        if (count.isOver && overUntilMs < now) overUntilMs = now + ms
        return now < overUntilMs ? { used: 5, isOver: true } : count
      },
    }
  }
}

export const OVER_LIMIT_DEFECTS: readonly Wrong[] = [
  wrong(
    'a limit that is never enforced',
    { count: (used, who) => ({ ...CORRECT.count(used, who), isOver: false }) },
    'over-limit-429',
  ),
  wrong(
    'a limit enforced one request late',
    {
      count: (used, who) => {
        if (who !== 'limited') return CORRECT.count(used, who)
        const before = used.get(who) ?? 0
        used.set(who, before + 1)
        return { used: Math.min(5, before + 1), isOver: before > 5 }
      },
    },
    'over-limit-429',
  ),
  ...[403, 503, 420, 500, 400].map((code) =>
    wrong(`${code} over the limit`, replies(status(429), withStatus(code)), 'over-limit-429'),
  ),
  wrong(
    '200 and an empty list over the limit',
    replies(status(429), (reply) => ({ ...reply, status: 200, body: '[]' })),
    'over-limit-429',
  ),
  wrong(
    'creations that are not limited',
    unlimited((method) => method === 'POST'),
    'over-limit-create',
  ),
  wrong(
    'fetches that are not limited',
    unlimited((_method, path) => path.startsWith('/v1/pets/')),
    'over-limit-get',
  ),
  wrong('a creation stored after a 429', storesRefused(429), 'over-limit-not-stored'),
  wrong('no Retry-After', replies(status(429), without('Retry-After')), 'retry-after'),
  ...(
    [
      ['in words', 'a minute'],
      ['with a fraction', '12.5'],
      ['with a unit', '60s'],
      ['that is negative', '-5'],
      ['that is empty', ''],
      ['as a date of ISO 8601', '2027-01-15T09:31:00Z'],
      ['that is NaN', 'NaN'],
    ] as const
  ).map(([how, value]) =>
    wrong(
      `Retry-After ${how}`,
      retryAfter(() => value),
      'retry-after',
    ),
  ),
  wrong(
    'Retry-After as a Unix time',
    retryAfter(({ resetS }) => String(resetS)),
    'retry-after-is-a-wait',
  ),
  wrong(
    'Retry-After as a date of last year',
    retryAfter((_limit, nowMs) => new Date(nowMs - 365 * DAY_MS).toUTCString()),
    'retry-after-is-a-wait',
  ),
  wrong(
    'Retry-After of two months',
    retryAfter(() => String(60 * 86_400)),
    'retry-after-is-a-wait',
  ),
  wrong(
    'Retry-After in milliseconds',
    retryAfter(({ resetS }, nowMs) => String(resetS * 1000 - nowMs)),
    'retry-after-is-a-wait',
  ),
  wrong(
    'Retry-After 0',
    retryAfter(() => '0'),
    'retry-after-suffices',
  ),
  wrong(
    'Retry-After 1',
    retryAfter(() => '1'),
    'retry-after-suffices',
  ),
  wrong(
    'Retry-After one second too short',
    retryAfter(({ resetS }, nowMs) => String(Math.ceil(resetS - nowMs / 1000) - 1)),
    'retry-after-suffices',
  ),
  wrong(
    'Retry-After half of the wait',
    retryAfter(({ resetS }, nowMs) => String(Math.ceil((resetS - nowMs / 1000) / 2))),
    'retry-after-suffices',
  ),
  wrong(
    'Retry-After as the date of now',
    retryAfter((_limit, nowMs) => new Date(nowMs).toUTCString()),
    'retry-after-suffices',
  ),
  wrong(
    'Retry-After in minutes',
    retryAfter(({ resetS }, nowMs) => String(Math.ceil((resetS - nowMs / 1000) / 60))),
    'retry-after-suffices',
  ),
  wrong('refusals for twice as long as told', overFor(150_000), 'retry-after-suffices'),
  wrong(
    'a reset announced before it happens',
    { resetS: (nowMs) => Math.floor(nowMs / 1000) + 1 },
    'retry-after-suffices',
  ),
  wrong(
    'a Reset long before the Retry-After that is right',
    {
      ...retryAfter((_limit, nowMs) => String(60 - (Math.floor(nowMs / 1000) % 60))),
      limitHeaders: (limit, incoming) =>
        CORRECT.limitHeaders(
          { ...limit, resetS: limit.resetS - 40 > 0 && limit.isOver ? limit.resetS - 30 : limit.resetS },
          incoming,
        ),
    },
    'retry-after-suffices',
  ),
  wrong(
    'a 429 as a web page',
    replies(status(429), (reply) => withBody('<h1>429</h1>')(withHeader('Content-Type', 'text/html')(reply))),
    'over-limit-body',
  ),
  wrong(
    'a 429 as plain text',
    replies(status(429), (reply) => withBody('Too many requests')(withHeader('Content-Type', 'text/plain')(reply))),
    'over-limit-body',
  ),
]
