/** Commands whose standard output is closed or full: no stack trace, nothing half done, no unseen key in force. */
import assert from 'node:assert/strict'
import { existsSync, openSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { commandsOn } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { skipUnless } from '../support/programs.ts'
import { freePort } from '../support/servers/servers.ts'
import { startPets, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const FULL = '/dev/full'
const NO_SPACE = 'Standard output cannot be written: there is no space left.\n'
const fullNeeded = skipUnless(existsSync(FULL), `there is no ${FULL} on this system`)

async function petsInto(stdout: 'full' | 'closed' | 'nowhere', args: readonly string[]) {
  const into = { full: () => openSync(FULL, 'w'), closed: () => 'pipe' as const, nowhere: () => 'ignore' as const }
  const stdio = ['ignore', into[stdout](), 'pipe'] as const
  const { process: child, ended, stderr } = startPets(args, { stdio: [...stdio] })
  child.stdout?.destroy()
  return { code: await ended, stderr: stderr() }
}

describe('a command whose output', { concurrency: 2 }, () => {
  const url = `sqlite:${temporaryFolder()}/pets.db`
  const database = ['--database', url]
  const { done, add, key } = commandsOn(url)
  const inForce = async () =>
    (await done('keys', 'list', '--json')).split('\n').filter((line) => line !== '' && !line.includes('"revokedAt":"'))
  let id = ''

  before(async () => {
    id = (await key('free')).id
    await add(`name,categoryId\n${'x,1\n'.repeat(20_000)}`)
  })

  const READING = [['keys', 'list', ...database], ['export', ...database], ['openapi'], ['--help'], ['--version']]

  it('is closed ends without a message', async () => {
    for (const args of READING) {
      assert.deepEqual(await petsInto('closed', args), { code: 0, stderr: '' }, args.join())
    }
  })

  it('is on a full disk fails with one sentence', fullNeeded, async () => {
    for (const args of READING) {
      const ended = await petsInto('full', args)
      assert.deepEqual(ended, { code: 1, stderr: NO_SPACE }, args.join())
    }
  })

  it('is the log of a service does not stop it if the reader is gone or the disk is full', async () => {
    await using service = await startService({ operatorPort: 'none', args: ['--log-level', 'debug'] })
    service.process.stdout?.destroy()
    for (let i = 0; i < 3; i += 1) assert.equal((await fetch(`${service.baseUrl}/pets`)).status, 401)
    assert.equal(service.process.exitCode, null)
    assert.equal(await service.stop(), 0)
    if (fullNeeded.skip !== false) return
    const port = await freePort()
    const more = ['--port', String(port), '--log-level', 'debug', '--database', `sqlite:${temporaryFolder()}/pets.db`]
    const stdio: ['ignore', number, 'pipe'] = ['ignore', openSync(FULL, 'w'), 'pipe']
    const { process: child, ended, stderr } = startPets(['serve', '--create', ...more], { stdio })
    const ask = () => fetch(`http://127.0.0.1:${port}/v1/pets`).catch(() => undefined)
    await until('it answers', async () => child.exitCode !== null || (await ask())?.status === 401)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    assert.equal(stderr(), NO_SPACE)
  })

  it('is discarded creates no secret, and no database for it', async () => {
    const none = `${temporaryFolder()}/none.db`
    for (const [args, nothing] of [
      ['keys create --plan free', 'No key was created'],
      ['people invite Ada --role staff', 'Nobody was invited'],
    ] as const) {
      const ended = await petsInto('nowhere', [...args.split(' '), '--create', '--database', `sqlite:${none}`])
      assert.deepEqual(ended, { code: 1, stderr: `${nothing}: standard output is discarded.\n` })
    }
    assert(!existsSync(none))
  })

  it('cannot show a new key revokes it, and the old key still works', fullNeeded, async () => {
    const before = await inForce()
    for (const into of ['full', 'closed'] as const) {
      for (const args of [
        ['create', '--plan', 'free'],
        ['create', '--plan', 'free', '--json'],
        ['rotate', id, '--overlap', '0'],
      ]) {
        const { code, stderr } = await petsInto(into, ['keys', ...args, ...database])
        assert.equal(code, 1)
        const kept = args[0] === 'rotate' ? `, and ${id} still works` : ''
        assert.match(stderr, new RegExp(`^[^\n]* The new key key_\\w+ was not shown, so it was revoked${kept}\\.\n$`))
      }
    }
    assert.deepEqual(await inForce(), before)
  })
})
