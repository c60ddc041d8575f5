/**
 * What the service does on signals and on uncaught exceptions: SIGTERM and SIGINT stop it, a second one at once; SIGHUP
 * reloads its certificate; an uncaught exception ends it. All of it holds from before the start on.
 */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import type { Service, ServiceConfig } from '../service/service.ts'

/** After an uncaught exception, saving may take this long. */
const SAVE_MS = 2_000

/**
 * Signals within this time are one. A terminal sends Ctrl-C to every process of its group, and npm, or the command of
 * the package, passes it on to the service once more, some milliseconds later. Nobody types the second one so soon.
 */
const SAME_SIGNAL_MS = 500

/** What signals are about; without a service while it is starting. */
interface Running {
  readonly service?: Service
}

/** A service that is still starting has answered nobody: it ends at once, and exits 0 as well. */
export function stopOnSignal(running: Running, log: Logger, clock: Clock): void {
  let stoppingSinceMs: number | undefined
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSinceMs !== undefined) {
      if (clock.monotonic() - stoppingSinceMs < SAME_SIGNAL_MS) return
      log.warn({ signal }, 'stopping at once')
      process.exit(1)
    }
    stoppingSinceMs = clock.monotonic()
    log.info({ signal }, 'stopping')
    Promise.resolve(running.service?.stop()).then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'the shutdown failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/**
 * SIGHUP never ends the service. `read` reads the certificate, and throws if it cannot be read; the old one then stays.
 * The result is to be called when the service runs: it does what was asked for during the start.
 */
export function reloadOnSignal(running: Running, read: () => ServiceConfig['tls'], log: Logger): () => void {
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
    }
  }
  process.on('SIGHUP', () => {
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
export function endOnFault(running: Running, log: Logger, clock: Clock): void {
  let ending = false
  process.on('uncaughtException', (error, origin) => {
    if (ending) return
    ending = true
    log.fatal({ err: error, origin, latestRequest: running.service?.doing() }, 'exiting after an uncaught exception')
    const end = () => process.exit(1)
    clock.after(SAVE_MS, end)
    Promise.resolve(running.service?.abandon()).then(end, end)
  })
}
