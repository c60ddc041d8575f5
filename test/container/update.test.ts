/**
 * Updates of the Debian package under systemd, with changed settings, without a terminal and under load: from 2.1.0, which is
 * built from its commit, to this version, to a later one, and back. Takes minutes: `npm test -- test/container/update.test.ts`.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/release/tree.ts'
import { debianFor, releaseOfRun, version } from '../release/release-of-run.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'
import { LATER, makeLater } from './production-guide.ts'

const run = promisify(execFile)
/** The last commit of 2.1.0. */
const EARLIER_COMMIT = '32503128714a'
const BUILD_MS = 1_200_000
const PACKAGES = 'systemd,systemd-sysv,dbus,libatomic1,libstdc++6,passwd,ca-certificates'
const nspawnNeeded = skipUnless(
  ['systemd-nspawn', 'debootstrap', 'nsenter'].every((name) => findProgram(name)) && process.getuid?.() === 0,
  'root boots a Debian with systemd-nspawn and debootstrap; install them',
)

async function buildEarlier(): Promise<string> {
  const clone = `${temporaryFolder()}/clone`
  await run('git', ['clone', '--quiet', '--no-checkout', ROOT, clone])
  await run('git', ['checkout', '--quiet', EARLIER_COMMIT], { cwd: clone })
  await run('npm', ['run', 'release'], { cwd: clone, maxBuffer: 2 ** 26 })
  return `${clone}/dist/${debianFor(process.arch).replace(version, '2.1.0')}`
}

describe('an update of the Debian package', { ...nspawnNeeded, timeout: BUILD_MS }, () => {
  const root = `${temporaryFolder()}/root`
  let leader: string
  let key: string
  let settings: string

  const inside = async (...command: string[]) => {
    const enter = ['--target', leader, '--all', 'env', '-i', '-C', '/root', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin']
    return (await run('nsenter', [...enter, ...command])).stdout.trim()
  }
  const pets = (...args: string[]) => inside('runuser', '-u', 'pets', '--', 'pets', ...args)
  const install = (name: string, ...flags: string[]) => inside('dpkg', ...flags, '--install', `/root/${name}.deb`)
  const count = async () => (await pets('export')).split('\n').filter(Boolean).length
  const installed = async () => /^Version: (.*)$/m.exec(await inside('dpkg', '--status', 'pet-adoption-service'))?.[1]

  /** Installs a package while clients list and create animals. */
  async function updateUnderLoad(name: string): Promise<void> {
    const beforeCount = await count()
    const load = spawn('nsenter', [
      '--target',
      leader,
      '--net',
      process.execPath,
      `${import.meta.dirname}/load.ts`,
      key,
    ])
    const printed = text(load.stdout)
    await until('clients create animals', async () => (await count()) > beforeCount)
    await install(name)
    const updatedCount = await count()
    await until('clients create animals again', async () => (await count()) > updatedCount)
    load.stdin.end()
    const counts: Record<string, number> = JSON.parse(await printed)
    assert.deepEqual(Object.keys(counts).toSorted(), ['GET 200', 'POST 201'])
    assert.equal(await count(), beforeCount + (counts['POST 201'] ?? 0))
    await pets('health')
    assert.equal(readFileSync(`${root}/etc/pets.conf`, 'utf8'), settings)
  }

  before(
    async () => {
      const [{ release }, earlier] = [await releaseOfRun(), await buildEarlier()]
      const suite = /^FROM debian:(\w+)-slim/m.exec(readFileSync(`${ROOT}/deploy/Dockerfile`, 'utf8'))?.[1] ?? ''
      await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, suite, root], { maxBuffer: 2 ** 26 })
      mkdirSync(`${root}/root`, { recursive: true })
      cpSync(earlier, `${root}/root/earlier.deb`)
      cpSync(`${release}/${debianFor(process.arch)}`, `${root}/root/this.deb`)
      await makeLater(`${root}/root/this.deb`, `${root}/root/later.deb`)
      const flags = ['--quiet', '--register=no', '--keep-unit', '--boot', '--private-network', '--resolv-conf=off']
      const booted = startProgram(['systemd-nspawn', ...flags, `--directory=${root}`])
      const pid = booted.process.pid
      await until('systemd is up', async () => {
        leader = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
        // It exits 1 if a unit of Debian does not run in a container.
        const { stdout } = await run('nsenter', ['-t', leader, '-a', 'systemctl', 'is-system-running']).catch(
          (error) => error,
        )
        return /^(running|degraded)/.test(stdout ?? '')
      })
      await run('nsenter', ['--target', leader, '--net', 'ip', 'link', 'set', 'lo', 'up'])
      await install('earlier')
      appendFileSync(`${root}/etc/pets.conf`, 'public-url = https://pets.example/v1\nbackup-dir = /var/backups/pets\n')
      settings = readFileSync(`${root}/etc/pets.conf`, 'utf8')
      await inside('systemctl', 'enable', '--now', 'pets.socket', 'pets')
      key = await pets('keys', 'create', '--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000')
    },
    { timeout: BUILD_MS },
  )
  after(() => inside('systemctl', 'poweroff', '--force', '--force').catch(() => {}))

  it('from 2.1.0 loses no request, and keeps the settings and every animal', async () => {
    await inside('sh', '-c', 'printf "name,categoryId\\nRex,1\\n" | runuser -u pets -- pets import -')
    await pets('backup', '/var/lib/pets/before-update.db')
    await updateUnderLoad('this')
    assert.equal(await installed(), version.replace('-', '~'))
  })

  it('to a later version loses no request, and keeps the settings and every animal', async () => {
    await updateUnderLoad('later')
    assert.equal(await installed(), LATER)
  })

  it('is rolled back to 2.1.0 with the backup from before it', async () => {
    await inside('systemctl', 'stop', 'pets.socket', 'pets')
    await pets('restore', '/var/lib/pets/before-update.db')
    await install('earlier', '--force-confold')
    await inside('systemctl', 'start', 'pets.socket', 'pets')
    await pets('health')
    assert.deepEqual([await installed(), await count()], ['2.1.0', 1])
  })
})
