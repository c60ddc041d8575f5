/** A service under systemd (../../support/systemctl.ts), with its sockets or without, and the script of deploy/. */
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/servers/servers.ts'
import { startProgram } from '../../support/service.ts'
import { writeSystemctl } from '../../support/systemctl.ts'
import { until } from '../../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** That of the version before. */
export const UNIT = '# an earlier unit\n'

interface Systemd extends AsyncDisposable {
  readonly port: number
  readonly operatorPort: number
  /** With the program `pets`, its unit, the database, and the log of the process that runs or ran last. */
  readonly folder: string
  readonly database: string
  /** Runs the script of deploy/ on a program, and resolves to its exit code and what it has written. */
  update(program: string): Promise<{ readonly code: number | null; readonly output: string }>
  log(): string
}

/** A file that is run as `pets`: the sources in a folder, told of before by a line of JavaScript. */
export function programOf(root = ROOT, before = ''): string {
  const file = `${temporaryFolder()}/pets`
  const preloaded =
    before === '' ? '' : `--import 'data:text/javascript,${encodeURIComponent(before).replaceAll("'", '%27')}' `
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' ${preloaded}'${root}/src/cli/pets.js' "$@"\n`, {
    mode: 0o755,
  })
  return file
}

/** Resolves when the program serves. */
export async function playSystemd(program: string, options: { readonly holdsSockets: boolean }): Promise<Systemd> {
  const folder = temporaryFolder()
  const database = `sqlite:${folder}/pets.db`
  copyFileSync(program, `${folder}/pets`)
  writeFileSync(`${folder}/pets.service`, UNIT)
  writeSystemctl(folder)
  writeFileSync(`${folder}/launch`, '#!/bin/sh\nexec ./pets serve\n', { mode: 0o755 })
  writeFileSync(`${folder}/supervised`, '')
  const servers = options.holdsSockets ? await holdSockets(2) : []
  const [port = await freePort(), operatorPort = await freePort()] = servers.map(({ port }) => port)
  if (options.holdsSockets) writeFileSync(`${folder}/sockets`, '-held')
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    PETS_DATABASE: database,
    PETS_CREATE: '1',
    PETS_PORT: String(port),
    PETS_OPERATOR_PORT: String(operatorPort),
    ...(options.holdsSockets && { LISTEN_FDS: '2' }),
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
    folder,
    database,
    update: (program) => run(updateScript(folder), program),
    log,
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

/** The script of deploy/ with the paths of the folder, and the new unit beside it. */
function updateScript(folder: string): string {
  const release = temporaryFolder()
  const script = readFileSync(`${ROOT}/deploy/update`, 'utf8')
    .replace('/usr/local/bin/pets', `${folder}/pets`)
    .replace('/etc/systemd/system', folder)
    .replace('/etc/pets.conf', `${folder}/pets.conf`)
    .replace('/var/lib/pets', folder)
  writeFileSync(`${release}/update`, script, { mode: 0o755 })
  copyFileSync(`${ROOT}/deploy/pets.service`, `${release}/pets.service`)
  return `${release}/update`
}
