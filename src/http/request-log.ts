/** The log of requests. Above level `debug` it contains only failures, and those of the store once, with a count. */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Exchange } from './exchange.ts'
import type { HttpResponse } from './response.ts'

const COUNT_EVERY_MS = 10_000

/** W3C Trace Context: version, trace, span and flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

export class RequestLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #failures: StoreFailures

  constructor(log: Logger, clock: Clock, failures: StoreFailures) {
    this.#log = log
    this.#clock = clock
    this.#failures = failures
  }

  logResponse(exchange: Exchange, { status, cause }: HttpResponse): void {
    if (status < 500 && !this.#log.isLevelEnabled('debug')) return
    const fields = { ...this.fields(exchange), status }
    const isTold = cause instanceof StoreUnavailable
    if (isTold) this.#failures.record(cause, fields)
    const line = { ...fields, err: cause }
    if (status >= 500 && status !== 501 && !isTold) this.#log.error(line, 'answered with an error')
    else this.#log.debug(line, 'answered')
  }

  logAborted(exchange: Exchange): void {
    this.#log.debug(this.fields(exchange), 'the client closed the connection before the body was complete')
  }

  logRejected(status: number, requestId: string, client: string): void {
    this.#log.debug({ requestId, client, status }, 'rejected by the HTTP parser')
  }

  fields(exchange: Exchange): Record<string, unknown> {
    const { request, route, admission, arrivedAtMs } = exchange
    return {
      requestId: exchange.id,
      traceId: TRACEPARENT.exec(String(request.headers.traceparent))?.[1],
      client: this.#log.isLevelEnabled('debug') ? exchange.ip : undefined,
      method: request.method,
      path: route.path,
      operation: route.endpoint.name,
      keyId: admission?.key?.id,
      ms: Math.round((this.#clock.monotonic() - arrivedAtMs) * 1e3) / 1e3,
    }
  }
}

/** Why the store fails requests: each reason is logged when it begins and when it ends, and counted in between. */
export class StoreFailures {
  readonly #log: Logger
  readonly #clock: Clock
  /** The number of failed requests, by reason. */
  readonly #lasting = new Map<string, number>()

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** A reason ends when no request has failed for it in ten seconds. */
  get reasons(): readonly string[] {
    return [...this.#lasting.keys()]
  }

  /** `request` are log fields; only those of the first request are logged. */
  record({ message, reason, isReported }: StoreUnavailable, request: Record<string, unknown>): void {
    if (isReported) return
    const requests = this.#lasting.get(reason) ?? 0
    this.#lasting.set(reason, requests + 1)
    if (requests > 0) return
    this.#log.error(request, `answered with an error: ${message} Further requests that fail for it are counted.`)
    this.#reportWhileLasting(reason)
  }

  #reportWhileLasting(reason: string): void {
    let before = 1
    const timer = this.#clock.every(COUNT_EVERY_MS, () => {
      const requests = this.#lasting.get(reason) ?? 0
      if (requests > before) this.#log.warn({ requests }, `${requests} requests got 503 so far: ${reason}`)
      else {
        this.#clock.cancel(timer)
        this.#lasting.delete(reason)
        this.#log.info({ requests }, `requests get no more 503, after ${requests}: ${reason}`)
      }
      before = requests
    })
    timer.unref()
  }
}
