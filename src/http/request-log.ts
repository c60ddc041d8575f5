/**
 * What the log says of requests. Below level `debug` a request is logged only if its response is a failure of the
 * service, and a failure of the store is not logged again for each request: it is told once, and counted.
 */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { countedAs } from './route.ts'

const COUNT_EVERY_MS = 10_000

export class RequestLog {
  readonly #log: Logger
  readonly #clock: Clock
  /** By the reason for which the store refuses requests, how many it has refused. */
  readonly #failing = new Map<string, { requests: number }>()

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  answered(exchange: Exchange, { status, cause }: Answer): void {
    if (status < 500 && !this.#log.isLevelEnabled('debug')) return
    const line = { ...this.fields(exchange), status, err: cause }
    if (cause instanceof StoreUnavailable && !cause.known) this.#count(line, cause)
    const isTold = cause instanceof StoreUnavailable
    if (status >= 500 && status !== 501 && !isTold) this.#log.error(line, 'answered with an error')
    else this.#log.debug(line, 'answered')
  }

  /** Tells a reason of the store when the first request fails for it, and counts the others;*/
  #count({ err: _, ...line }: Record<string, unknown>, { message, reason }: StoreUnavailable): void {
    const going = this.#failing.get(reason)
    if (going !== undefined) {
      going.requests += 1
      return
    }
    this.#log.error(line, `answered with an error: ${message} Further requests that fail for it are counted.`)
    let before = 1
    const failing = { requests: 1 }
    const timer = this.#clock.every(COUNT_EVERY_MS, () => {
      const { requests } = failing
      if (requests > before) this.#log.warn({ requests }, `${requests} requests got 503 so far: ${reason}`)
      else {
        this.#clock.cancel(timer)
        this.#failing.delete(reason)
        this.#log.info({ requests }, `no request gets 503 any more, ${requests} did: ${reason}`)
      }
      before = requests
    })
    timer.unref()
    this.#failing.set(reason, failing)
  }

  aborted(exchange: Exchange): void {
    this.#log.debug(this.fields(exchange), 'the client hung up in the middle of its body')
  }

  /** What HTTP's parser rejected never became a request. */
  rejected(status: number, requestId: string, client: string): void {
    this.#log.debug({ requestId, client, status }, 'answered what HTTP’s parser refused')
  }

  fields(exchange: Exchange): Record<string, unknown> {
    const { request, route, admission, arrivedAtMs } = exchange
    return {
      requestId: exchange.id,
      client: this.#log.isLevelEnabled('debug') ? exchange.ip : undefined,
      method: request.method,
      path: route.path,
      operation: countedAs(route.purpose),
      keyId: admission?.key?.id,
      ms: Math.round((this.#clock.monotonic() - arrivedAtMs) * 1e3) / 1e3,
    }
  }
}
