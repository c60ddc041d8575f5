/** A backup never mixes with other files of its name, nor removes them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { assertDone, commandsOn } from '../../support/commands/commands.ts'
import { alter, namesIn, temporaryFolder } from '../../support/folder.ts'
import { pets as petsProcess } from '../../support/service.ts'

/** All animals have this name. */
async function databaseOf(folder: string, name: string, animals: number): Promise<string> {
  const database = `sqlite:${join(folder, `${name}.db`)}`
  const input = `name,categoryId\n${`${name},1\n`.repeat(animals)}`
  assertDone(await commandsOn(database).add(input))
  return database
}

function animalsIn(file: string): unknown[] {
  using db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  return [...db.prepare('SELECT DISTINCT name FROM pets').iterate()].map(({ name }) => name)
}

describe('the name of a backup', () => {
  it('goes to only one of two backups that are made at the same time', async () => {
    const folder = temporaryFolder()
    const names = ['rex', 'mia']
    const databases = await Promise.all(names.map((name) => databaseOf(folder, name, 20_000)))
    const file = join(folder, 'backup')
    const made = await Promise.all(databases.map((database) => petsProcess(['backup', file, '--database', database])))
    assert.deepEqual(made.map(({ code }) => code).toSorted(), [0, 1])
    const winner = made.findIndex(({ code }) => code === 0)
    assert.deepEqual(animalsIn(file), [names[winner]])
    assert.match(made[1 - winner]?.stderr ?? '', /^\S+backup is there already; a backup overwrites nothing/)
    assert.deepEqual(namesIn(folder, /\.partial$/), [])
  })

  it('is restored without a stale log next to it', async () => {
    const folder = temporaryFolder()
    const database = await databaseOf(folder, 'rex', 3)
    await databaseOf(folder, 'other', 300)
    const file = join(folder, 'backup')
    const other = new DatabaseSync(join(folder, 'other.db'), { timeout: 5_000 })
    other.exec("PRAGMA journal_mode = WAL; UPDATE pets SET name = 'stale'")
    copyFileSync(join(folder, 'other.db-wal'), `${file}-wal`)
    copyFileSync(join(folder, 'other.db-shm'), `${file}-shm`)
    other.close()
    await commandsOn(database).done('backup', file)
    const restored = await commandsOn(`sqlite:${join(folder, 'restored.db')}`).done('restore', file)
    assert.match(restored, /^Restored and checked: 3 animals/)
    await commandsOn(`sqlite:${file}`).refused(
      /the log \S+-wal of the previous file is still next to it/,
      'find',
      'rex',
    )
  })
})

describe('restore', () => {
  it('refuses a pipe, a device or a folder immediately', async () => {
    const folder = temporaryFolder()
    const database = `sqlite:${join(folder, 'pets.db')}`
    const pipe = join(folder, 'pipe')
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
    mkdirSync(join(folder, 'folder'))
    for (const file of [pipe, '/dev/zero', join(folder, 'folder')]) {
      const { code, stderr } = await commandsOn(database).run('restore', file)
      assert.deepEqual([code, stderr], [1, `${file} is not a file; give the backup to restore.\n`])
    }
  })

  it('says before it is done how many revoked keys and people come back, and which', async () => {
    const folder = temporaryFolder()
    const { run, done, key } = commandsOn(await databaseOf(folder, 'pets', 1))
    const keys = [(await key('free')).id, (await key('free')).id, (await key('free')).id] as const
    await done('people', 'invite', 'Ada', '--role', 'staff')
    await done('keys', 'revoke', keys[0])
    const { id: expired } = await key('free')
    alter(join(folder, 'pets.db'), `UPDATE keys SET expires_at_ms = 1 WHERE id = '${expired}'`)
    const file = join(folder, 'backup')
    await done('backup', file)
    for (const id of [expired, ...keys.slice(1)]) await done('keys', 'revoke', id)
    await done('people', 'rename', 'Ada', 'Bea')
    await done('people', 'revoke', 'Bea')
    const { stderr } = await run('restore', file)
    const [first, second, last] = stderr.split('\n')
    assert.equal(
      first,
      `2 keys revoked after the backup will be valid again: ${keys.slice(1).toSorted().join(', ')}. To revoke each again, use \`pets keys revoke ID\`.`,
    )
    assert.match(second ?? '', /^1 person revoked after the backup will sign in again: Bea\. /)
    assert.match(last ?? '', /^The replaced database is kept as/)
    const again = await run('restore', file)
    assert.match(again.stderr, /^The replaced database is kept as/, 'nobody comes back')
  })
})
