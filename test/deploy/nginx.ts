/** The real nginx with the configuration of deploy/, in front of nodes. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { freePort, runServer, type TestServer } from '../support/servers/servers.ts'

const CONFIG = new URL('../../deploy/nginx.conf', import.meta.url)

const program = findProgram('nginx')

/** For `test({ ...nginxNeeded })`. */
export const nginxNeeded = skipUnless(program !== undefined, 'there is no nginx on the path; install it')

export interface TestNginx extends TestServer {
  /** Number of open temporary files, which nginx unlinks when it creates them. */
  temporaryFiles(): number
  /** As `nginx -s reload`, which ends before the new configuration applies. */
  reload(): void
}

/**
 * The site of deploy/. `nodes`: host and port of each node. `listen` replaces `listen 8080;`. `timeout`: how long nginx waits for
 * a node, in tests of something else.
 */
export function startNginx(
  nodes: readonly string[],
  listen = (port: number) => `listen 127.0.0.1:${port};`,
  timeout?: string,
): Promise<TestNginx> {
  const servers = nodes.map((node) => `    server ${node} max_fails=3 fail_timeout=2s;\n`)
  return serveWithNginx((port) =>
    readFileSync(CONFIG, 'utf8')
      .replace(/(?: *server pets.*\n)+/, servers.join(''))
      .replace(/listen 8080;\n *listen \[::\]:8080;/, listen(port))
      .replaceAll(/(_timeout) \d+ms;/g, timeout === undefined ? '$&' : `$1 ${timeout};`),
  )
}

/** `site`: the content of `http { … }` for a port. */
export async function serveWithNginx(site: (port: number) => string): Promise<TestNginx> {
  if (program === undefined) throw new Error(String(nginxNeeded.skip))
  const port = await freePort()
  const folder = temporaryFolder()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `events {}\nhttp {\n  access_log off;\n${site(port)}}\n`)
  const directives = `daemon off; pid ${join(folder, 'nginx.pid')};`
  const line = [program, '-p', folder, '-c', file, '-e', 'stderr', '-g', directives]
  const nginx = await runServer(port, line)
  return Object.assign(nginx, {
    temporaryFiles: () => temporaryFiles(nginx.pid),
    reload: () => void process.kill(nginx.pid, 'SIGHUP'),
  })
}

function temporaryFiles(pid: number): number {
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const open = workers.flatMap((worker) => {
    const folder = `/proc/${worker}/fd`
    return readdirSync(folder).map((fd) => readlinkSync(join(folder, fd)))
  })
  return open.filter((name) => name.endsWith(' (deleted)')).length
}
