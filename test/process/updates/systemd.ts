/** Plays systemd, which cannot run in a test: it holds the sockets of a service, and starts it again when it ends. */
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import { startProgram } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

interface Systemd extends AsyncDisposable {
  readonly port: number
  readonly operatorPort: number
  readonly database: string
  /** Resolves when the new process is ready. */
  restart(): Promise<void>
}

/** What systemd runs again whenever it ends, each time with the sockets (sd_listen_fds(3)). */
const AGAIN = `until [ -e "$ENDED" ]; do sh -c 'export LISTEN_PID=$$; echo "pid $$"; exec "$@"' sh "$@"; done`

/** Resolves when the service serves. */
export async function playSystemd(): Promise<Systemd> {
  const folder = temporaryFolder()
  const database = `sqlite:${folder}/pets.db`
  const servers = await holdSockets(2)
  const [port = 0, operatorPort = 0] = servers.map(({ port }) => port)
  const env = {
    ENDED: `${folder}/ended`,
    PETS_DATABASE: database,
    PETS_CREATE: '1',
    PETS_PORT: String(port),
    PETS_OPERATOR_PORT: String(operatorPort),
    LISTEN_FDS: '2',
  }
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...servers.map(({ fd }) => fd)]
  const line = ['sh', '-c', AGAIN, 'sh', process.execPath, `${ROOT}/src/cli/pets.js`, 'serve']
  const { process: supervisor, ended, output } = startProgram(line, { env, stdio })
  for (const { close } of servers) close()
  const all = (what: RegExp) => [...output().matchAll(what)]
  const served = (times: number) =>
    until('the service serves', () => all(/"msg":"serving/g).length > times || supervisor.exitCode !== null)
  const stop = () => process.kill(Number(all(/^pid (\d+)$/gm).at(-1)?.[1]), 'SIGTERM')
  await served(0)
  return {
    port,
    operatorPort,
    database,
    async restart() {
      const before = all(/"msg":"serving/g).length
      stop()
      await served(before)
    },
    async [Symbol.asyncDispose]() {
      writeFileSync(env.ENDED, '')
      supervisor.ref()
      stop()
      await ended
    },
  }
}

/** They listen, and nobody accepts: call `close` in the turn in which a process has got the descriptors. */
export function holdSockets(count: number): Promise<readonly Held[]> {
  return Promise.all(Array.from({ length: count }, listening))
}

interface Held {
  readonly fd: number
  readonly port: number
  readonly close: () => void
}

async function listening(): Promise<Held> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not in node's types.
  const { _handle } = server as unknown as { readonly _handle: { readonly fd: number } }
  return { fd: _handle.fd, port: (server.address() as AddressInfo).port, close: () => server.close() }
}
