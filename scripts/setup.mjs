/**
 * Installs missing packages of the lock file, with `--all` also those for development. It runs with the person's own Node
 * (20 or later), so it is plain JavaScript. Installed packages stay, because a running service might use them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = process.argv.includes('--all')
const isWindows = process.platform === 'win32'

/** npm's record of the installed packages, which it writes at the end of an installation. */
const there = packagesOf(join(root, 'node_modules', '.package-lock.json'))
const packages = packagesOf(join(root, 'package-lock.json')).filter(([, { dev }]) => all || !dev)
const versions = new Map(there.map(([path, { version }]) => [path, version]))

if (packages.some(([path, { version }]) => !versions.has(path) || versions.get(path) !== version)) {
  process.stdout.write('Installing the packages of the lock file. With a fast connection this takes a minute.\n')
  // `npm ci` begins by removing `node_modules`; without `--no-save`, `npm install` would write the lock file.
  const command = there.length === 0 ? ['ci'] : ['install', '--no-save']
  const omitted = all || there.some(([, { dev }]) => dev) ? [] : ['--omit=dev']
  const quiet = ['--no-audit', '--no-fund', '--no-progress']
  const npm = spawn('npm', [...command, ...omitted, ...quiet], { cwd: root, stdio: 'inherit', shell: isWindows })
  const progress = process.stdout.isTTY
    ? setInterval(() => process.stdout.write(`\r${installed()} of ${packages.length} packages `), 500)
    : 0
  const [status] = await once(npm, 'close')
  clearInterval(progress)
  if (progress !== 0) process.stdout.write('\r\u001b[K')
  if (status !== 0) {
    process.stderr.write('The installation failed; the lines above say why. Is the npm registry within reach?\n')
    process.exit(1)
  }
}
// `npm start` begins with `exec`, so that signals reach the service. The Windows shell has no `exec`.
if (isWindows) writeFileSync(join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n')

/** The number of installed packages. */
function installed() {
  return packages.filter(([path]) => existsSync(join(root, path, 'package.json'))).length
}

/**
 * The packages of a lock file for this platform, by path. Packages for one C library are skipped, because npm knows
 * which it is, and so are optional packages for any platform, such as WebAssembly for another one.
 *
 * @param {string} file
 * @returns {[path: string, { version?: string, dev?: boolean }][]}
 */
function packagesOf(file) {
  if (!existsSync(file)) return []
  /** @param {string | string[] | undefined} names @param {string} name */
  const isFor = (names, name) => names === undefined || [names].flat().includes(name)
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages).filter(
    ([path, { os, cpu, libc, optional }]) =>
      path.includes('node_modules/') &&
      isFor(os, process.platform) &&
      isFor(cpu, process.arch) &&
      libc === undefined &&
      !(optional && os === undefined && cpu === undefined),
  )
}
