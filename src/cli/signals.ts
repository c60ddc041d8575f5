/** Signals of the service: SIGTERM and SIGINT stop it, a second one exits immediately, SIGHUP reloads the certificate. */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { endProcess } from '../common/program.ts'
import type { Service, ServiceConfig } from '../service/service.ts'

/** Time limit for saving the counters after an uncaught exception. */
const SAVE_MS = 2_000

/** Signals within this time count as one: Ctrl-C reaches every process of a terminal, and npm forwards it once more. */
const SAME_SIGNAL_MS = 500

interface Running {
  readonly service?: Service
}

export class Signals {
  readonly #running: Running
  readonly #log: Logger
  readonly #clock: Clock
  readonly #listeners: Parameters<typeof process.on>[] = []

  constructor(running: Running, log: Logger, clock: Clock) {
    this.#running = running
    this.#log = log
    this.#clock = clock
  }

  #on(...listener: Parameters<typeof process.on>): void {
    process.on(...listener)
    this.#listeners.push(listener)
  }

  /** For a service that could not start. */
  removeListeners(): void {
    for (const listener of this.#listeners) process.off(...listener)
  }

  /** During the start, the process exits 0 immediately. */
  stopOnSignal(onStop: () => void): void {
    const [running, log, clock] = [this.#running, this.#log, this.#clock]
    let stoppingSinceMs: number | undefined
    const stop = (signal: NodeJS.Signals) => {
      if (stoppingSinceMs !== undefined) {
        if (clock.monotonic() - stoppingSinceMs < SAME_SIGNAL_MS) return
        log.warn({ signal }, 'stopping immediately')
        endProcess(1)
      }
      stoppingSinceMs = clock.monotonic()
      log.info({ signal }, 'stopping')
      onStop()
      Promise.resolve(running.service?.stop()).then(
        () => {
          log.info('stopped')
          endProcess(0)
        },
        (error: unknown) => {
          log.fatal({ err: error }, 'the shutdown failed')
          endProcess(1)
        },
      )
    }
    this.#on('SIGTERM', stop)
    this.#on('SIGINT', stop)
  }

  /** An invalid certificate is not used. Call the returned function after the start: it performs an earlier reload. */
  reloadOnSignal(read: () => ServiceConfig['tls']): () => void {
    const [running, log] = [this.#running, this.#log]
    let isDue = false
    const reload = (service: Service) => {
      try {
        const tls = read()
        if (tls === undefined) log.info('SIGHUP: there is no certificate to reload')
        else {
          service.setCertificate(tls)
          log.info('the certificate was reloaded')
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        log.error(`the certificate was not reloaded: ${reason}`)
        service.reportCertificateFailure(reason)
      }
    }
    this.#on('SIGHUP', () => {
      if (running.service !== undefined) return reload(running.service)
      isDue = true
      log.info('SIGHUP: the certificate will be reloaded after the start')
    })
    return () => {
      if (isDue && running.service !== undefined) reload(running.service)
    }
  }

  /** Saves the counters if possible. */
  exitOnUncaughtException(): void {
    const [running, log, clock] = [this.#running, this.#log, this.#clock]
    let ending = false
    this.#on('uncaughtException', (error: Error, origin: string) => {
      if (ending) return
      ending = true
      log.fatal(
        { err: error, origin, latestRequest: running.service?.latestRequest() },
        'exiting after an uncaught exception',
      )
      const end = () => endProcess(1)
      clock.after(SAVE_MS, end)
      Promise.resolve(running.service?.closeResources()).then(end, end)
    })
  }
}
