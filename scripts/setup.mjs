/**
 * Installs what the lock file names, when it is not installed yet or has changed since. Runs before `npm start` and
 * `npm test` with whatever Node the person has, from 20 on, so it is plain JavaScript; the Node that the project runs on
 * comes with the installation. `--all` adds what only development needs.
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
  // `npm start` begins with `exec`, so that no shell stays between npm and the service and a signal gets through. Windows'
  // shell has no such word; there it is this one.
  if (process.platform === 'win32') writeFileSync(join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n')
  writeFileSync(stampFile, `${wanted} ${all ? 'all' : 'run'}`)
}
