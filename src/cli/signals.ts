/**
 * Signal handling of the service, installed before it starts: SIGTERM and SIGINT stop it, and a second one exits at
 * once; SIGHUP reloads the certificate. An uncaught exception is logged and ends the process.
 */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { endProcess } from '../common/program.ts'
import type { Service, ServiceConfig } from '../service/service.ts'

/** Time limit for saving the counters after an uncaught exception. */
const SAVE_MS = 2_000

/**
 * Signals within this time count as one. A terminal sends Ctrl-C to every process of its group, and npm or the
 * package's command forwards it once more some milliseconds later. Nobody types a second one that fast.
 */
const SAME_SIGNAL_MS = 500

/** `service` is undefined while it is starting. */
interface Running {
  readonly service?: Service
  /** Set once a port is about to listen, so that a client may be waiting for a response. */
  readonly opening?: Promise<Service>
}

type Listener = Parameters<typeof process.on>[1]

export class Signals {
  readonly #running: Running
  readonly #log: Logger
  readonly #clock: Clock
  readonly #listeners: (readonly [event: string, listener: Listener])[] = []

  constructor(running: Running, log: Logger, clock: Clock) {
    this.#running = running
    this.#log = log
    this.#clock = clock
  }

  #on(event: string, listener: Listener): void {
    process.on(event, listener)
    this.#listeners.push([event, listener])
  }

  /** For use when the service could not start. */
  removeListeners(): void {
    for (const [event, listener] of this.#listeners) process.off(event, listener)
  }

  /**
   * Before the ports listen there are no requests to finish, so the process exits 0 at once. Later the start is awaited
   * first. Returns a function that tells whether a stop was requested.
   */
  stopOnSignal(onStop: () => void): () => boolean {
    const [running, log, clock] = [this.#running, this.#log, this.#clock]
    let stoppingSinceMs: number | undefined
    const stop = (signal: NodeJS.Signals) => {
      if (stoppingSinceMs !== undefined) {
        if (clock.monotonic() - stoppingSinceMs < SAME_SIGNAL_MS) return
        log.warn({ signal }, 'stopping at once')
        endProcess(1)
      }
      stoppingSinceMs = clock.monotonic()
      log.info({ signal }, 'stopping')
      onStop()
      Promise.resolve(running.opening?.then((service) => service.stop())).then(
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
    return () => stoppingSinceMs !== undefined
  }

  /**
   * SIGHUP never ends the service. `read` reads the certificate; if it throws, the old one stays in use. Call the
   * returned function when the service runs: it performs a reload that was requested during the start.
   */
  reloadOnSignal(read: () => ServiceConfig['tls']): () => void {
    const [running, log] = [this.#running, this.#log]
    let isDue = false
    const reload = (service: Service) => {
      try {
        const tls = read()
        if (tls === undefined) log.info('SIGHUP: there is no certificate to read again')
        else {
          service.setCertificate(tls)
          log.info('the certificate was read again')
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        log.error(`the certificate stays as it was: ${reason}`)
        service.reportCertificateFailure(reason)
      }
    }
    this.#on('SIGHUP', () => {
      if (running.service !== undefined) return reload(running.service)
      isDue = true
      log.info('SIGHUP: the service is still starting; there is nothing to read again yet')
    })
    return () => {
      if (isDue && running.service !== undefined) reload(running.service)
    }
  }

  /**
   * After an uncaught exception the state of the process is unknown: the exception is logged, the counters are saved if
   * possible, and the process exits 1, so that its supervisor restarts it.
   */
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
