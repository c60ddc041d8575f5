/** Log lines about problems: one when a problem begins and one when it ends, never one per request. */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import { counted } from '../common/counted.ts'
import { ExplainedError, isSystemError } from '../common/errors.ts'
import type { CountersOptions } from '../counters/open.ts'
import { type OnAttempt, type StoreEvents, StoreUnavailable } from '../store/store.ts'

const COUNT_EVERY_MS = 10_000

interface Phrases {
  readonly lasting: string
  readonly over: string
  /** What happened to the requests, as in "12 requests got 503". */
  readonly cost: string
}

export function databaseLog(log: Logger, clock: Clock, count503: () => number) {
  const lasting = 'the database is still not responding to all requests'
  const phrases = { lasting, over: 'the database is back', cost: 'got 503' }
  return {
    onWaiting: (why: string) => log.warn(`waiting for the database: ${why}`),
    onAttempt: attemptLog(log),
    ...outageLog(log, clock, phrases, count503),
  } satisfies StoreEvents
}

export function countersLog(log: Logger, clock: Clock): Pick<CountersOptions, 'onChange' | 'onAlone'> {
  let alone = 0
  const lasting = 'the shared counters still do not work'
  const phrases = { lasting, over: 'counters are shared again', cost: 'counted by this node alone' }
  return {
    onChange: outageLog(log, clock, phrases, () => alone).onTrouble,
    onAlone() {
      alone += 1
    },
  }
}

/** Logs when an outage begins and ends, and the number of affected requests every ten seconds. */
function outageLog(log: Logger, clock: Clock, { lasting, over, cost }: Phrases, count: () => number) {
  let trouble: string | undefined
  let outage: { readonly sinceMs: number; readonly countBefore: number; readonly counting: Timer } | undefined
  const tell = (level: 'warn' | 'info', sentence: (seconds: number, concerned: string) => string) => {
    if (outage === undefined) return
    const seconds = Math.round((clock.monotonic() - outage.sinceMs) / 100) / 10
    const requests = count() - outage.countBefore
    log[level]({ seconds, requests }, sentence(seconds, `${counted(requests, 'request')} ${cost}`))
  }
  return {
    trouble: () => trouble,
    /** Call it when the problem begins or changes, and with undefined when it is over. */
    onTrouble(now: string | undefined): void {
      trouble = now
      if (now === undefined) {
        tell('info', (seconds, concerned) => `${over} after ${seconds} s; ${concerned}`)
        clock.cancel(outage?.counting)
        outage = undefined
        return
      }
      log.warn(now)
      outage ??= {
        sinceMs: clock.monotonic(),
        countBefore: count(),
        counting: clock
          .every(COUNT_EVERY_MS, () => tell('warn', (_, concerned) => `${lasting}: ${concerned} so far`))
          .unref(),
      }
    },
  }
}

/** Logs failures of background work, each reason once while it lasts. */
function attemptLog(log: Logger): OnAttempt {
  const failing = new Map<string, string>()
  return (trouble, err) => {
    const isTold = err instanceof StoreUnavailable && err.isReported
    const [why = ''] = String(err).split('\n', 1) // of a thread's error the message is its stack
    if (err === undefined || isTold) failing.delete(trouble)
    else if (failing.get(trouble) !== why) {
      failing.set(trouble, why)
      if (err instanceof StoreUnavailable) log.warn(`${trouble}: ${err.reason}`)
      else log.error({ err }, trouble)
    }
  }
}

/** The parts of a backup's name that differ between attempts. */
const CHANGING = /\d{4}-\d\d-\d\dT\d{6}Z|\.[0-9a-f]{16}(?=\.partial)/g

/** Repeated background work. A failure is logged once while it lasts, with its stack unless it is explained. */
export class OwnWork {
  failures = 0
  failure: string | undefined
  protected readonly log: Logger
  readonly #trouble: string
  readonly #again: string
  #failureCount = 0

  /** As in "no backup was made" and "a backup succeeds". */
  constructor(log: Logger, trouble: string, again: string) {
    this.log = log
    this.#trouble = trouble
    this.#again = again
  }

  protected fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    const isSame = this.failure?.replace(CHANGING, '') === message.replace(CHANGING, '')
    this.failures += 1
    this.#failureCount += 1
    this.failure = message
    if (isSame) return
    if (error instanceof ExplainedError || isSystemError(error)) {
      this.log.error(`${this.#trouble}: ${message.replace(/\.$/, '')}; the log will say when ${this.#again} again`)
    } else this.log.error({ err: error }, this.#trouble)
  }

  protected succeed(): number {
    const failures = this.#failureCount
    this.#failureCount = 0
    this.failure = undefined
    return failures
  }
}

export function banLog(log: Logger): (key: { readonly id: string }, ban: { readonly untilMs: number }) => void {
  return ({ id: key }, { untilMs }) => log.warn({ key, until: new Date(untilMs).toISOString() }, 'a key is banned')
}
