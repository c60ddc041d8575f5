/**
 * Installs the packages of the lock file that are missing. Runs before `npm start` and `npm test` with the person's own
 * Node (20 or later), so it is plain JavaScript; the Node that the project runs on is one of the packages. `--all` also
 * installs the development dependencies. Installed packages stay, since a running service may be using them.
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
// `npm start` begins with `exec`, so that no shell remains between npm and the service and signals reach it. The
// Windows shell has no `exec`; there this is one.
if (isWindows) writeFileSync(join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n')

/** The number of installed packages. */
function installed() {
  return packages.filter(([path]) => existsSync(join(root, path, 'package.json'))).length
}

/**
 * The packages of a lock file that are for this platform, by path; none if there is no such file. Packages that name a
 * C library are left out: they are for some Linux systems only, and npm knows which. So are optional ones for any platform:
 * what they come with may be for another, as WebAssembly is.
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
