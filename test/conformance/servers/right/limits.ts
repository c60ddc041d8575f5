/**
 * Limits that are another's right: other windows, other counting, other headers where the interface leaves them open.
 */

import { always, method, replies, status, withBody, withHeader, without, withStatus } from '../mutate.ts'
import { type Behaviour, CORRECT, error, type Limit, PER_MINUTE, type Who } from '../reference.ts'
import { type Right, right } from './right.ts'

/** A window that begins with the first request in it. */
function ownWindow(lengthMs: number): () => Partial<Behaviour> {
  return () => {
    const windows = new Map<Who, { endMs: number; used: number }>()
    const take = (who: Who, nowMs: number): Limit => {
      let window = windows.get(who)
      if (window === undefined || nowMs >= window.endMs) window = { endMs: nowMs + lengthMs, used: 0 }
      windows.set(who, window)
      const isOver = window.used >= PER_MINUTE[who]
      if (!isOver) window.used += 1
      const limit = PER_MINUTE[who]
      return { limit, remaining: limit - window.used, resetS: Math.ceil(window.endMs / 1000), isOver }
    }
    return { take }
  }
}

/** The requests of the last minute count; Reset is when all of them are past. */
function sliding(): Partial<Behaviour> {
  const times = new Map<Who, number[]>()
  const take = (who: Who, nowMs: number): Limit => {
    const recent = (times.get(who) ?? []).filter((atMs) => atMs > nowMs - 60_000)
    const limit = PER_MINUTE[who]
    const isOver = recent.length >= limit
    if (!isOver) recent.push(nowMs)
    times.set(who, recent)
    return {
      limit,
      remaining: limit - recent.length,
      resetS: Math.ceil(((recent.at(-1) ?? nowMs) + 60_000) / 1000),
      isOver,
    }
  }
  return { take }
}

/** An allowance that comes back little by little; Reset is when it is whole again. */
function bucket(): Partial<Behaviour> {
  const levels = new Map<Who, { level: number; atMs: number }>()
  const take = (who: Who, nowMs: number): Limit => {
    const limit = PER_MINUTE[who]
    const before = levels.get(who) ?? { level: limit, atMs: nowMs }
    const level = Math.min(limit, before.level + ((nowMs - before.atMs) * limit) / 60_000)
    const isOver = level < 1
    const left = isOver ? level : level - 1
    levels.set(who, { level: left, atMs: nowMs })
    return {
      limit,
      remaining: Math.floor(left),
      resetS: Math.ceil(nowMs / 1000 + ((limit - left) * 60) / limit),
      isOver,
    }
  }
  return { take, retryAfter: () => '12' }
}

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

/**
 * A minute and a day, each of so many for the limited key; `describes` chooses which of them the headers are about
 * (O11), and Retry-After is about the one that blocks.
 */
function minuteAndDay(
  [perMinute, perDay]: readonly [number, number],
  describes: (isOver: boolean) => 'minute' | 'day',
): () => Partial<Behaviour> {
  return () => {
    const used = new Map<string, number>()
    let blockedUntilS = 0
    const take = (who: Who, nowMs: number): Limit => {
      const windows = {
        minute: { limit: who === 'limited' ? perMinute : PER_MINUTE[who], ms: MINUTE_MS },
        day: { limit: who === 'limited' ? perDay : 100_000, ms: DAY_MS },
      }
      const of = (name: 'minute' | 'day') => {
        const { limit, ms } = windows[name]
        const key = `${who} ${name} ${Math.floor(nowMs / ms)}`
        return { key, limit, used: used.get(key) ?? 0, resetS: ((Math.floor(nowMs / ms) + 1) * ms) / 1000 }
      }
      const full = (['minute', 'day'] as const).map(of).filter((window) => window.used >= window.limit)
      const isOver = full.length > 0
      blockedUntilS = Math.max(...full.map(({ resetS }) => resetS))
      if (!isOver) for (const { key, used: before } of [of('minute'), of('day')]) used.set(key, before + 1)
      const told = of(describes(isOver))
      return { limit: told.limit, remaining: told.limit - told.used, resetS: told.resetS, isOver }
    }
    return { take, retryAfter: (_limit, nowMs) => String(Math.ceil(blockedUntilS - nowMs / 1000)) }
  }
}

/** So that the day ends while the kit waits for it. */
const BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 50, 12) }
const LONG_BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 46, 12) }

/** A key that is refused so often in a minute is refused for ten (R17). */
function banning(after: number): () => Partial<Behaviour> {
  return () => {
    const used = new Map<string, number>()
    let refusals = 0
    let bannedUntilMs = 0
    const take = (who: Who, nowMs: number): Limit => {
      const minute = Math.floor(nowMs / 60_000)
      const key = `${who} ${minute}`
      const limit = PER_MINUTE[who]
      const isBanned = who === 'limited' && nowMs < bannedUntilMs
      const isOver = isBanned || (used.get(key) ?? 0) >= limit
      if (!isOver) used.set(key, (used.get(key) ?? 0) + 1)
      else if (who === 'limited' && !isBanned && ++refusals === after) bannedUntilMs = nowMs + 600_000
      const isNowBanned = who === 'limited' && nowMs < bannedUntilMs
      const resetS = isNowBanned ? Math.ceil(bannedUntilMs / 1000) : (minute + 1) * 60
      return { limit, remaining: isOver ? 0 : limit - (used.get(key) ?? 0), resetS, isOver }
    }
    return { take }
  }
}

const isMalformed: typeof always = (_reply, incoming) => incoming === undefined

/** A clock that is so many seconds ahead of the kit's, as its Date says. */
function aheadBy(seconds: number): Partial<Behaviour> {
  return {
    resetS: (nowMs) => CORRECT.resetS(nowMs) + seconds,
    retryAfter: ({ resetS }, nowMs) => CORRECT.retryAfter({ resetS: resetS - seconds } as Limit, nowMs),
    finish: (reply, _incoming, nowMs) => withHeader('Date', new Date(nowMs + seconds * 1_000).toUTCString())(reply),
  }
}

export const RIGHT_LIMITS: readonly Right[] = right([
  ['windows that begin with the first request', ownWindow(60_000)],
  ['windows of ten seconds', ownWindow(10_000)],
  ['windows of two minutes', ownWindow(120_000)],
  ['headers that describe the day, though the minute blocks', minuteAndDay([5, 1_000], () => 'day')],
  [
    'headers that describe the minute, though the day blocks',
    minuteAndDay([60, 20], () => 'minute'),
    {},
    BEFORE_MIDNIGHT,
  ],
  [
    'the day on a 429, where the day blocks',
    minuteAndDay([60, 20], (isOver) => (isOver ? 'day' : 'minute')),
    {},
    BEFORE_MIDNIGHT,
  ],
  [
    'the minute on a 429, where the day is told else',
    minuteAndDay([5, 1_000], (isOver) => (isOver ? 'minute' : 'day')),
  ],
  ['the day on a 429 and else, where the day blocks', minuteAndDay([60, 20], () => 'day'), {}, LONG_BEFORE_MIDNIGHT],
  ['a ban after five refusals', banning(5), { 'over-limit-ban': /looks like a ban|no ban/ }],
  ['a ban after two refusals', banning(2)],
  ['a window that slides', sliding],
  ['a bucket that fills little by little', bucket],
  [
    'Retry-After as an HTTP date',
    { retryAfter: ({ resetS }) => new Date(resetS * 1000).toUTCString() },
    { 'retry-after': /GMT/ },
  ],
  [
    'a Retry-After longer than the reset',
    { retryAfter: ({ resetS }, nowMs) => String(Math.ceil(resetS - nowMs / 1000) + 30) },
    { 'retry-after-suffices': /Served at the reset/ },
  ],
  [
    'an empty 429',
    replies(status(429), (reply) => withBody('')(without('Content-Type')(reply))),
    { 'over-limit-body': /none/ },
  ],
  ['a 429 with a body of its own', replies(status(429), withBody('{"retry":true}')), { 'over-limit-body': /retry/ }],
  [
    'header names in lower case, those of the IETF draft as well, and a charset',
    replies(always, ({ headers, ...reply }) => {
      const all = { ...headers, RateLimit: '"default";r=1;t=60', 'Content-Type': 'application/json; charset=utf-8' }
      return {
        ...reply,
        headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
      }
    }),
  ],
  [
    'refusals over the limit that say another window, no count without a key, and a 503 without a body to TRACE',
    {
      limitHeaders: (limit, incoming) =>
        CORRECT.limitHeaders(limit.isOver ? { ...limit, limit: 1000 } : limit, incoming),
      count: (used, who) => (who === 'address' ? { used: 0, isOver: false } : CORRECT.count(used, who)),
      ...replies(method('TRACE'), (reply) => withBody('')(withStatus(503)(reply))),
    },
    { 'over-limit-remaining-0': /another window/, 'limit-401': /not falling/ },
  ],
  ['no Date, and the right time', replies(always, without('Date'))],
  [
    'no Date, and a clock that is 20 minutes late',
    { ...aheadBy(-1_200), finish: without('Date') },
    { 'headers-200-list': /behind this machine's clock/ },
  ],
  ['a clock that is 20 minutes late, as its Date says', aheadBy(-1_200)],
  ['a clock that is 20 minutes early, as its Date says', aheadBy(1_200)],
  ['malformed HTTP left without an answer', replies(isMalformed, withStatus(0)), { 'not-http': /no answer came/ }],
  [
    '413 to malformed HTTP',
    replies(isMalformed, () => ({
      ...error(413, 'no'),
      headers: CORRECT.limitHeaders({ limit: 60, remaining: 1, resetS: 1_800_005_460, isOver: false }, undefined),
    })),
  ],
])
