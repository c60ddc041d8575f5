/** A service under systemd (../../support/systemctl.ts), which holds its sockets. */
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import { startProgram } from '../../support/service.ts'
import { writeSystemctl } from '../../support/systemctl.ts'
import { until } from '../../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

interface Systemd extends AsyncDisposable {
  readonly port: number
  readonly operatorPort: number
  readonly database: string
  /** Resolves when the new process is ready. */
  restart(): Promise<{ readonly code: number | null; readonly output: string }>
}

/** Resolves when the service serves. */
export async function playSystemd(): Promise<Systemd> {
  const folder = temporaryFolder()
  const database = `sqlite:${folder}/pets.db`
  writeSystemctl(folder)
  writeFileSync(`${folder}/launch`, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/src/cli/pets.js' serve\n`, {
    mode: 0o755,
  })
  writeFileSync(`${folder}/supervised`, '')
  const servers = await holdSockets(2)
  const [port = 0, operatorPort = 0] = servers.map(({ port }) => port)
  writeFileSync(`${folder}/sockets`, '-held')
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    PETS_DATABASE: database,
    PETS_CREATE: '1',
    PETS_PORT: String(port),
    PETS_OPERATOR_PORT: String(operatorPort),
    LISTEN_FDS: '2',
  }
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', ...servers.map(({ fd }) => fd)]
  const { process: supervisor, ended } = startProgram([`${folder}/systemctl`, 'supervise'], { env, stdio })
  for (const { close } of servers) close()
  const run = async (...line: string[]) => {
    const { ended, output } = startProgram(line, { env })
    return { code: await ended, output: output() }
  }
  const log = () => (existsSync(`${folder}/log`) ? readFileSync(`${folder}/log`, 'utf8') : '')
  await until('the service serves', () => log().includes('"msg":"serving'))
  return {
    port,
    operatorPort,
    database,
    restart: () => run(`${folder}/systemctl`, 'restart', 'pets'),
    async [Symbol.asyncDispose]() {
      writeFileSync(`${folder}/ended`, '')
      supervisor.ref()
      await run(`${folder}/systemctl`, 'stop', 'pets')
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
