/**
 * Installs the packages of the lock file if they are not installed yet or the lock file has changed. Runs before `npm
 * start` and `npm test` with the person's own Node, from 20 on, so it is plain JavaScript; the Node that the project
 * runs on is one of the packages. `--all` also installs the development dependencies.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = process.argv.includes('--all')
const stampFile = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''

if (installed !== `${wanted} all` && (all || installed !== `${wanted} run`)) {
  process.stdout.write('Installing from the lock file …\n')
  const args = ['ci', ...(all ? [] : ['--omit=dev'])]
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stderr.write('The installation failed; the lines above say why. Is the npm registry within reach?\n')
    process.exit(1)
  }
  // `npm start` begins with `exec`, so that no shell remains between npm and the service and signals reach it. The
  // Windows shell has no `exec`; there this is one.
  if (process.platform === 'win32') writeFileSync(join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n')
  writeFileSync(stampFile, `${wanted} ${all ? 'all' : 'run'}`)
}
