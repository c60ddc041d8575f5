/**
 * Someone who has only the files of a release: an unprivileged user in an empty folder, whose environment names no clone.
 */
import { chownSync, writeFileSync } from 'node:fs'
import { temporaryFolder } from '../support/folder.ts'
import { freePort, notAsRoot, stop } from '../support/servers/servers.ts'
import { type CommandResult, type RunningCommand, SERVING, startProgram } from '../support/service.ts'

interface Served extends AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly operatorUrl: string
}

export interface User {
  readonly folder: string
  /** Writes a file of this user into the folder; returns its path. */
  put(name: string, content: string | Buffer, mode?: number): string
  run(command: readonly string[]): Promise<CommandResult>
  start(command: readonly string[]): RunningCommand
  /** Starts `command` followed by `serve`, on free ports. */
  serve(command: readonly string[], more?: readonly string[]): Promise<Served>
}

/** Programs are searched in `path` and in the system's folders. */
export function newUser(path: readonly string[] = []): User {
  const folder = temporaryFolder()
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  const env = {
    PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: folder,
    // Without settings the default database is next to the program, where users cannot write.
    PETS_DATABASE: `sqlite:${folder}/data/pets.db`,
    npm_config_cache: `${folder}/.npm`,
    npm_config_update_notifier: 'false',
    // A package is installed from its file alone, without its scripts.
    npm_config_offline: 'true',
    npm_config_omit: 'optional',
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const start = (command: readonly string[]) =>
    startProgram(['env', '-i', ...variables, ...command], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...notAsRoot,
    })
  return {
    folder,
    start,
    put(name, content, mode = 0o644) {
      const path = `${folder}/${name}`
      writeFileSync(path, content, { mode })
      if (notAsRoot.uid !== undefined) chownSync(path, notAsRoot.uid, notAsRoot.gid)
      return path
    },
    async run(command) {
      const { ended, stdout, stderr } = start(command)
      return { code: await ended, stdout: stdout(), stderr: stderr() }
    },
    async serve(command, more = []) {
      const operatorPort = await freePort()
      const own = ['serve', '--create', '--port', '0', '--operator-port', String(operatorPort)]
      const { process: child, says } = start([...command, ...own, ...more])
      const [, baseUrl = ''] = await says(SERVING)
      const operatorUrl = `http://127.0.0.1:${operatorPort}`
      return { baseUrl, operatorUrl, [Symbol.asyncDispose]: () => stop(child, 'SIGTERM') }
    },
  }
}
