/**
 * What the service does on signals and on uncaught exceptions: SIGTERM and SIGINT stop it, a second one at once; SIGHUP
 * reloads its certificate; an uncaught exception ends it.
 */
import type { Logger } from 'pino'
import type { Service } from '../service.ts'

/** After an uncaught exception, saving may take this long. */
const SAVE_MS = 2_000

export function stopOnSignal(service: Service, log: Logger): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, 'stopping at once')
      process.exit(1)
    }
    stopping = true
    log.info({ signal }, 'stopping')
    service.stop().then(
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

/** SIGHUP never ends the service. `reload` throws if the new certificate cannot be used; the old one then stays. */
export function reloadOnSignal(reload: () => boolean, log: Logger): void {
  process.on('SIGHUP', () => {
    try {
      log.info(reload() ? 'the certificate was read again' : 'SIGHUP: there is no certificate to read again')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.error(`the certificate stays as it was: ${reason}`)
    }
  })
}

/**
 * After an uncaught exception the state of the process is unknown: the exception is logged, the counters are saved if
 * possible, and the process exits 1, so that its supervisor restarts it.
 */
export function endOnFault(running: { readonly service?: Service }, log: Logger): void {
  let ending = false
  process.on('uncaughtException', (error, origin) => {
    if (ending) return
    ending = true
    log.fatal({ err: error, origin, latestRequest: running.service?.doing() }, 'exiting after an uncaught exception')
    const end = () => process.exit(1)
    setTimeout(end, SAVE_MS)
    Promise.resolve(running.service?.abandon()).then(end, end)
  })
}
