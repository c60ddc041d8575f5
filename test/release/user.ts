/**
 * Somebody who has the files of a release and nothing else: an unprivileged user in an empty folder, whose environment
 * leads to no clone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { temporaryFolder } from '../support/folder.ts'
import { endWithTests, freePort, notAsRoot, stop } from '../support/servers/servers.ts'
import { untilServing } from '../support/service.ts'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Served extends AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly output: () => string
}

export interface User {
  readonly folder: string
  /** Puts a file of theirs into the folder; gives its path. */
  put(name: string, content: string | Buffer, mode?: number): string
  run(command: readonly string[], input?: string): Promise<Outcome>
  /** Starts `command` followed by `serve`, on free ports. */
  serve(command: readonly string[], more?: readonly string[]): Promise<Served>
}

/** `path` is searched for programs besides the system's folders. */
export function newUser(path: readonly string[] = []): User {
  const folder = temporaryFolder()
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  const env = {
    PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: folder,
    npm_config_cache: `${folder}/.npm`,
    npm_config_update_notifier: 'false',
    // A package comes from its file alone, and none of its scripts runs.
    npm_config_offline: 'true',
    npm_config_omit: 'optional',
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const start = ([command = '', ...args]: readonly string[]) => {
    const child = spawn(command, args, { cwd: folder, env, ...notAsRoot })
    endWithTests(child)
    child.stdin.on('error', () => {}) // a command that refuses its input early closes it
    return child
  }
  return {
    folder,
    put(name, content, mode = 0o644) {
      const path = `${folder}/${name}`
      writeFileSync(path, content, { mode })
      if (notAsRoot.uid !== undefined) chownSync(path, notAsRoot.uid, notAsRoot.gid)
      return path
    },
    async run(command, input = '') {
      const child = start(command)
      const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
      child.stdin.end(input)
      const [code] = await once(child, 'close')
      return { code, stdout: stdout(), stderr: stderr() }
    },
    async serve(command, more = []) {
      const operatorPort = await freePort()
      const own = ['serve', '--create', '--port', '0', '--operator-port', String(operatorPort)]
      const child = start([...command, ...own, ...more])
      const { baseUrl, output } = await untilServing(child)
      const operatorUrl = `http://127.0.0.1:${operatorPort}`
      return { baseUrl, operatorUrl, output, [Symbol.asyncDispose]: () => stop(child, 'SIGTERM') }
    },
  }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  return () => text
}
