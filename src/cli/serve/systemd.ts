/** Inherited sockets and notifications of systemd. systemd-notify sends them: Node has no datagram Unix sockets. */
import { execFile, spawnSync } from 'node:child_process'
import type { Logger } from 'pino'
import type { Clock } from '../../common/clock.ts'
import type { ServiceConfig } from '../../service/service.ts'
import { UsageError } from '../options.ts'

const FIRST_SOCKET = 3

type Variables = Record<string, string | undefined>

/** Removes the variables of sd_listen_fds(3), so that child processes ignore the sockets. Throws UsageError. */
export function inheritedSockets(env: Variables, operatorPort: number | undefined): ServiceConfig['sockets'] {
  const { LISTEN_PID, LISTEN_FDS } = env
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  if (Number(LISTEN_PID) !== process.pid) return undefined
  if (LISTEN_FDS === '1') return { public: FIRST_SOCKET, operator: undefined }
  if (LISTEN_FDS !== '2') {
    throw new UsageError(
      'pets.socket must have one ListenStream= for the public port and, if wanted, a second one for the operator port.',
    )
  }
  if (operatorPort === undefined) {
    throw new UsageError('The second ListenStream= of pets.socket is for the operator port; add --operator-port.')
  }
  return { public: FIRST_SOCKET, operator: FIRST_SOCKET + 1 }
}

export function isSocketActive(): boolean {
  return spawnSync('systemctl', ['is-active', '--quiet', 'pets.socket']).status === 0
}

/** Does nothing if systemd did not start this process. `ready` also starts notifications of the watchdog. */
export function systemdNotifier(env: Variables, log: Logger, clock: Clock) {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID = String(process.pid), PATH } = env
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
  const tell = (state: string) => {
    if (NOTIFY_SOCKET === undefined) return
    execFile('systemd-notify', [state], { env: { NOTIFY_SOCKET, PATH } }, (error) => {
      // Stopping the unit ends this command too.
      if (error === null || error.signal === 'SIGTERM') return
      log.warn(`systemd was not notified of ${state}: ${error.message.trim()}`)
    })
  }
  return {
    ready() {
      tell('READY=1')
      if (WATCHDOG_USEC === undefined || WATCHDOG_PID !== String(process.pid)) return
      clock.every(Number(WATCHDOG_USEC) / 2_000, () => tell('WATCHDOG=1')).unref()
    },
    stopping: () => tell('STOPPING=1'),
  }
}
