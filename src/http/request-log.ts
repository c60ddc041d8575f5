/**
 * What the log says of requests. Below level `debug` a request is logged only if its response is a failure of the
 * service, and a failure that the store has reported already is not logged again for each request.
 */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { countedAs } from './route.ts'

export class RequestLog {
  readonly #log: Logger
  readonly #clock: Clock

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  answered(exchange: Exchange, { status, cause }: Answer): void {
    if (status < 500 && !this.#log.isLevelEnabled('debug')) return
    const line = { ...this.fields(exchange), status, err: cause }
    const isTold = cause instanceof StoreUnavailable && cause.known
    if (status >= 500 && status !== 501 && !isTold) this.#log.error(line, 'answered with an error')
    else this.#log.debug(line, 'answered')
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
