/** Who can read and write the files of the program. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { assertDone, commandsOn } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { as, NOBODY, otherUserNeeded } from '../../support/other-user.ts'
import { pets, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const usual = ['sh', '-c', 'umask 022; exec "$@"', 'sh'] as const

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const ownerOf = (path: string) => [statSync(path).uid, statSync(path).gid]

function modesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[]
  return Object.fromEntries(names.map((name) => [name, modeOf(join(folder, name))]))
}

async function addAs(launcher: readonly [string, ...string[]], database: string) {
  const args = ['import', '--create', '-', '--database', database]
  assertDone(await pets(args, { launcher, input: 'name,categoryId\nMia,1\n' }))
}

describe('files on the disk', { concurrency: 2 }, () => {
  before(() => process.umask(0o022))

  it('database, log, lock files, backups and first key are for their owner alone, whatever the umask', async () => {
    const home = join(temporaryFolder(), 'data')
    const database = `sqlite:${home}/pets.db`
    const { add, done } = commandsOn(database)
    const backups = join(home, 'backups')
    {
      await using service = await startService({
        database,
        launcher: usual,
        args: ['--first-key', '--backup-dir', backups, '--backup-every', '1s'],
      })
      await service.issueKey()
      assertDone(await add('name,categoryId\nRex,1\n'))
      await done('backup', join(home, 'saved.db'))
      await until(
        'a backup',
        async () => existsSync(backups) && readdirSync(backups).some((name) => name.endsWith('.db')),
      )
      const modes = modesIn(home)
      for (const [name, mode] of Object.entries(modes)) assert.equal(mode, name === 'backups' ? '700' : '600', name)
      const lasting = ['', '-wal', '-shm', '.serving', '.importing'].map((end) => `pets.db${end}`)
      for (const name of [...lasting, 'first-key']) assert(name in modes, name)
      assert.equal(modeOf(home), '700')
    }
    await done('restore', join(home, 'saved.db'))
    for (const [name, mode] of Object.entries(modesIn(home)))
      assert.equal(mode, name === 'backups' ? '700' : '600', name)
  })

  it('include a backup that is verified in a read-only folder, without a new file next to it', async () => {
    const home = temporaryFolder()
    const { add, done } = commandsOn(`sqlite:${home}/pets.db`)
    assertDone(await add('name,categoryId\nRex,1\n'))
    const saved = join(home, 'saved')
    mkdirSync(saved)
    await done('backup', join(saved, 'pets.db'))
    await commandsOn(`sqlite:${saved}/pets.db`).done('verify')
    assert.deepEqual(readdirSync(saved), ['pets.db'])
  })

  it('created by root belong to the owner of the database or of the folder', otherUserNeeded, async () => {
    const home = temporaryFolder()
    const database = `sqlite:${home}/pets.db`
    chownSync(home, NOBODY, NOBODY)
    const { add, done, key } = commandsOn(database)
    await key('free')
    assertDone(await add('name,categoryId\nRex,1\n'))
    await done('backup', join(home, 'saved.db'))
    await done('restore', join(home, 'saved.db'))
    for (const name of readdirSync(home)) assert.deepEqual(ownerOf(join(home, name)), [NOBODY, NOBODY], name)
    await using service = await startService({ database, launcher: as(NOBODY), args: ['--first-key'] })
    await addAs(as(NOBODY), database)
    assert.match(service.output(), /serving/)
  })
})

describe('a lock file that cannot be used', otherUserNeeded, () => {
  /** A database of NOBODY's with lock files of root, as an earlier version left them. */
  async function leftByRoot() {
    const home = temporaryFolder()
    const database = `sqlite:${home}/pets.db`
    chownSync(home, NOBODY, NOBODY)
    await addAs(as(NOBODY), database)
    const leave = (purpose: string) => {
      const file = `${home}/pets.db.${purpose}`
      if (!existsSync(file)) writeFileSync(file, '')
      chownSync(file, 0, 0)
      chmodSync(file, 0o644)
      return file
    }
    return { database, leave }
  }

  it('keeps a service from starting, in a sentence that names the file and the command that mends it', async () => {
    const { database, leave } = await leftByRoot()
    const file = leave('serving')
    const { code, stderr } = await pets(['serve', '--port', '0', '--database', database], { launcher: as(NOBODY) })
    assert.equal(code, 1, stderr)
    const command = /^The lock file \S+pets\.db\.serving cannot be used: .* (chown --reference=\S+ \S+),/.exec(
      stderr,
    )?.[1]
    assert(command !== undefined, stderr)
    assert.equal(stderr.trim().split('\n').length, 1)
    assert.equal(spawnSync('sh', ['-c', command]).status, 0)
    assert.deepEqual(ownerOf(file), [NOBODY, NOBODY])
    await using service = await startService({ database, launcher: as(NOBODY) })
    assert.match(service.output(), /serving/)
  })
})
