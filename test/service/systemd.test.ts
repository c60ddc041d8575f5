/** What `pets serve` tells systemd and takes from it, by the real systemd-notify and systemd-socket-activate. */
import assert from 'node:assert/strict'
import { type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { holdSockets } from '../process/updates/systemd.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call } from '../support/http.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { endWithTests, freePort, stop } from '../support/servers/servers.ts'
import { pets, startProgram, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const PROGRAM = resolve(import.meta.dirname, '../../src/cli/pets.js')

const systemdNeeded = skipUnless(
  findProgram('systemd-notify') !== undefined && findProgram('systemd-socket-activate') !== undefined,
  'there is no systemd-notify; install systemd',
)

describe('systemd', () => {
  it('is notified of the start, of a working event loop, and of the stop', systemdNeeded, async () => {
    const folder = temporaryFolder()
    const [socket, told] = [`${folder}/notify`, `${folder}/told`]
    const receiver = ['--datagram', `--listen=${socket}`, 'sh', '-c', 'exec cat <&3']
    const activated = spawn('systemd-socket-activate', receiver, { stdio: ['ignore', openSync(told, 'w'), 'ignore'] })
    endWithTests(activated)
    await until('the socket is there', () => existsSync(socket))
    const service = await startService({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '100000' } })
    // Each is told by a process of its own, and those of a busy machine overtake each other.
    const messages = () => readFileSync(told, 'utf8').match(/[A-Z]+=1/g) ?? []
    const states = () => messages().filter((message) => message !== 'BARRIER=1')
    await until('WATCHDOG, more than once', () => states().filter((state) => state === 'WATCHDOG=1').length > 2)
    await until('READY', () => states().includes('READY=1'))
    assert.equal(await service.stop(), 0)
    await until('STOPPING', () => states().includes('STOPPING=1'))
    assert.deepEqual(new Set(states()), new Set(['READY=1', 'WATCHDOG=1', 'STOPPING=1']))
    await stop(activated, 'SIGTERM')
  })

  it('causes a log line if it cannot be notified', async () => {
    await using service = await startService({ env: { NOTIFY_SOCKET: '/nowhere', PATH: '/nowhere' } })
    await service.says(/systemd was not notified of READY=1: /)
    assert.equal((await fetch(`${service.operatorUrl}/readyz`)).status, 200)
  })

  it('causes no log line if it stops the notifying command together with the service', async () => {
    const folder = temporaryFolder()
    writeFileSync(`${folder}/systemd-notify`, `#!/bin/sh\necho $1 >> ${folder}/told\nkill $$\n`, { mode: 0o755 })
    const service = await startService({ env: { NOTIFY_SOCKET: '/nowhere', PATH: folder } })
    assert.equal(await service.stop(), 0)
    await until('it was told', () => readFileSync(`${folder}/told`, 'utf8').includes('STOPPING=1'))
    assert.doesNotMatch(service.output(), /could not be told/)
  })

  it('is blamed for a folder outside of `ReadWritePaths=`, and a disk that can only be read is not', (t) => {
    const folder = temporaryFolder()
    const bound = `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder}`
    const disk = `mount -t tmpfs -o ro tmpfs ${folder}`
    for (const [mount, why] of [
      [bound, '`ReadWritePaths=` of the unit does not include it'],
      [disk, 'its disk is read-only'],
    ] as const) {
      const line = `${mount} && exec "$0" "$@"`
      const check = [process.execPath, PROGRAM, '--quiet', 'config', '--check']
      const env = { ...process.env, INVOCATION_ID: 'x', PETS_BACKUP_DIR: folder, PETS_PORT: '0' }
      const { status, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', line, ...check], {
        env,
        encoding: 'utf8',
      })
      if (/unshare|mount:/.test(stderr)) return t.skip('this user may not mount')
      const refusal = `Backups cannot be written to ${folder} given as --backup-dir: ${why}.\n`
      assert.deepEqual([status, stderr], [1, refusal])
    }
    return undefined
  })

  it('hands over its sockets, public port first, by the protocol of sd_listen_fds', systemdNeeded, async () => {
    const [port, operatorPort] = [await freePort(), await freePort()]
    const ports = ['--port', String(port), '--operator-port', String(operatorPort)]
    const serve = ['serve', '--create', ...ports, '--database', `sqlite:${temporaryFolder()}/pets.db`]
    const listens = [port, operatorPort].map((one) => `--listen=127.0.0.1:${one}`)
    // It starts the service with the first connection, in its own place.
    const { process: activated } = startProgram(
      ['systemd-socket-activate', ...listens, process.execPath, PROGRAM, ...serve],
      { stdio: 'ignore' },
    )
    await until('it listens', () => call(port, {}).then(Boolean, () => false))
    assertWhole(await call(port, {}), 401)
    assert.equal((await call(operatorPort, { path: '/readyz' })).status, 200)
    await stop(activated, 'SIGTERM')
  })

  it('hands over sockets that are not those of the settings, or of no use: refused in one sentence', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const launch = ['sh', '-c', 'export LISTEN_PID=$$; exec "$@"', 'sh'] as const
    const refused = async (sockets: number, args: string[], expected: number, text: RegExp) => {
      const env = { LISTEN_FDS: String(sockets) }
      const held = await holdSockets(2)
      const line = [...launch, process.execPath, PROGRAM, 'serve', '--create', '--database', database, ...args]
      const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', ...held.map(({ fd }) => fd)]
      const { ended, stderr } = startProgram(line, { env, stdio })
      for (const { close } of held) close()
      assert.deepEqual([await ended, stderr().trim().split('\n').length], [expected, 1], stderr())
      assert.match(stderr(), text)
    }
    const elsewhere = ['--port', String(await freePort())]
    await refused(
      1,
      elsewhere,
      1,
      /inherited socket is at 127\.0\.0\.1 port \d+, but the settings say 127\.0\.0\.1 port/,
    )
    await refused(2, elsewhere, 2, /second ListenStream= of pets\.socket is for the operator port; add --operator-port/)
    await refused(3, elsewhere, 2, /pets\.socket must have one ListenStream=/)
    const { code, stderr } = await pets(
      ['serve', '--create', '--database', database, '--port', '0', '--host', '203.0.113.1'],
      {
        env: { LISTEN_FDS: '1', LISTEN_PID: '1' },
      },
    )
    assert.equal(code, 1)
    assert.match(stderr, /This machine does not have the address/, 'sockets of another process are not looked at')
  })
})
