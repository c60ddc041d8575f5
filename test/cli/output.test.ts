/** Commands whose standard output is closed or full: no stack trace, nothing half done, no key that nobody has seen. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { skipUnless } from '../support/programs.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'

const PETS = resolve(import.meta.dirname, '../../src/cli/pets.ts')
const FULL = '/dev/full'
const fullNeeded = skipUnless(existsSync(FULL), `there is no ${FULL} on this system`)

/** Runs a command whose standard output cannot be written. */
async function petsInto(stdout: 'full' | 'closed', args: readonly string[]) {
  const child = spawn(process.execPath, [PETS, ...args], {
    stdio: ['ignore', stdout === 'full' ? openSync(FULL, 'w') : 'pipe', 'pipe'],
  })
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, stderr }
}

describe('a command whose output', { concurrency: 2 }, () => {
  const database = ['--database', `sqlite:${temporaryFolder()}/pets.db`]
  const list = async () => (await pets(['keys', 'list', '--json', ...database])).stdout
  let id = ''

  before(async () => {
    const created = await pets(['keys', 'create', '--create', '--plan', 'free', '--json', ...database])
    id = (JSON.parse(created.stdout) as { id: string }).id
    await pets(['import', '--create', '-', ...database], { input: `name,categoryId\n${'x,1\n'.repeat(20_000)}` })
  })

  const READING = [
    ['keys', 'list'],
    ['keys', 'list', '--json'],
    ['export'],
    ['openapi'],
    ['--help'],
    ['keys', '--help'],
    ['--version'],
  ]
  const databaseOf = ([first = '', ...rest]: readonly string[]) =>
    first === '--version' || first === 'openapi' || [first, ...rest].includes('--help') ? [] : database

  it('is closed ends without a message', async () => {
    for (const args of READING) {
      assert.deepEqual(
        await petsInto('closed', [...args, ...databaseOf(args)]),
        { code: 0, stderr: '' },
        args.join(' '),
      )
    }
  })

  it('is on a full disk fails with one sentence', fullNeeded, async () => {
    for (const args of READING) {
      const { code, stderr } = await petsInto('full', [...args, ...databaseOf(args)])
      assert.deepEqual(
        [code, stderr],
        [1, 'Standard output cannot be written: there is no space left.\n'],
        args.join(' '),
      )
    }
  })

  it('is the log of a service does not stop it if nobody reads the log any more, or the disk is full', async () => {
    await using service = await startService({ args: ['--log-level', 'debug'] })
    service.process.stdout?.destroy()
    for (let i = 0; i < 3; i += 1) assert.equal((await fetch(`${service.baseUrl}/pets`)).status, 401)
    assert.equal(service.process.exitCode, null)
    assert.equal(await service.stop(), 0)
    if (fullNeeded.skip !== false) return
    const port = await freePort()
    const more = ['--port', String(port), '--log-level', 'debug', '--database', `sqlite:${temporaryFolder()}/pets.db`]
    const child = spawn(process.execPath, [PETS, 'serve', '--create', ...more], {
      stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
    })
    const ended = new Promise<number | null>((done) => child.on('close', done))
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const ask = () => fetch(`http://127.0.0.1:${port}/v1/pets`).catch(() => undefined)
    while ((await ask())?.status !== 401 && child.exitCode === null) await sleep(50)
    assert.equal((await ask())?.status, 401)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    assert.equal(stderr, 'Standard output cannot be written: there is no space left.\n')
  })

  it('cannot show a new key issues none, and rotates none', fullNeeded, async () => {
    const before = await list()
    for (const into of ['full', 'closed'] as const) {
      for (const args of [
        ['create', '--plan', 'free'],
        ['create', '--plan', 'free', '--json'],
        ['rotate', id, '--overlap', '0'],
      ]) {
        const { code, stderr } = await petsInto(into, ['keys', ...args, ...database])
        assert.equal(code, 1)
        assert.match(stderr, /^No key was issued\. [^\n]*\n$/)
      }
    }
    assert.equal(await list(), before)
  })
})
