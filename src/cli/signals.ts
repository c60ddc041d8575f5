/** What the service does on signals: SIGTERM and SIGINT stop it, a second one at once; SIGHUP reads its certificate again. */
import type { Logger } from 'pino'
import type { Service } from '../service.ts'

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
        log.fatal({ err: error }, 'could not stop in order')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** SIGHUP never ends the service. `reload` throws when the new certificate cannot be used; the old one then stays. */
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
