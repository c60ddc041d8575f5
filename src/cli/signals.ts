/** Signals of the service: SIGTERM and SIGINT stop it, a second one exits immediately, SIGHUP reloads the certificate. */
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { endProcess } from '../common/program.ts'
import type { Service, ServiceConfig } from '../service/service.ts'

/** Time limit for saving the counters after an uncaught exception. */
const SAVE_MS = 2_000

/** Signals within this time count as one: Ctrl-C reaches every process of a terminal, and npm forwards it once more. */
const SAME_SIGNAL_MS = 500

interface Handled {
  /** `service` is set when it runs. */
  readonly running: { readonly service?: Service }
  readonly log: Logger
  readonly clock: Clock
  readonly onStop: () => void
  readonly readTls: () => ServiceConfig['tls']
}

export function handleSignals({ running, log, clock, onStop, readTls }: Handled) {
  const listeners: Parameters<typeof process.on>[] = []
  const on = (...listener: Parameters<typeof process.on>) => {
    process.on(...listener)
    listeners.push(listener)
  }
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
    // During the start, there is nothing to wait for.
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
  on('SIGTERM', stop)
  on('SIGINT', stop)
  let isReloadDue = false
  on('SIGHUP', () => {
    if (running.service !== undefined) return reload(running.service, readTls, log)
    isReloadDue = true
    log.info('SIGHUP: the certificate will be reloaded after the start')
  })
  let isEnding = false
  on('uncaughtException', (error: Error, origin: string) => {
    if (isEnding) return
    isEnding = true
    const latestRequest = running.service?.latestRequest()
    log.fatal({ err: error, origin, latestRequest }, 'exiting after an uncaught exception')
    const end = () => endProcess(1)
    clock.after(SAVE_MS, end)
    Promise.resolve(running.service?.closeResources()).then(end, end)
  })
  return {
    reloadIfAsked: () => void (isReloadDue && running.service && reload(running.service, readTls, log)),
    /** For a service that could not start. */
    removeListeners: () => listeners.forEach((listener) => void process.off(...listener)),
  }
}

/** An invalid certificate is not used. */
function reload(service: Service, readTls: Handled['readTls'], log: Logger): void {
  try {
    const tls = readTls()
    if (tls !== undefined) service.setCertificate(tls)
    log.info(tls === undefined ? 'SIGHUP: there is no certificate to reload' : 'the certificate was reloaded')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.error(`the certificate was not reloaded: ${reason}`)
    service.reportCertificateFailure(reason)
  }
}
