/** Names that are taken, shared or stale: a backup never mixes with, nor removes, what somebody else has there. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { endWithTests } from '../../support/servers/servers.ts'
import { pets as petsProcess } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const PETS = resolve(import.meta.dirname, '../../../src/cli/pets.ts')

async function done(...args: string[]) {
  const { code, stdout, stderr } = await pets(args)
  assert.equal(code, 0, stderr)
  return { stdout, stderr }
}

/** A database of animals that are all called the same. */
async function databaseOf(folder: string, name: string, animals: number): Promise<string> {
  const database = `sqlite:${join(folder, `${name}.db`)}`
  const input = `name,categoryId\n${`${name},1\n`.repeat(animals)}`
  const { code, stderr } = await pets(['import', '--create', '-', '--database', database], { input })
  assert.equal(code, 0, stderr)
  return database
}

function namesIn(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return db
      .prepare('SELECT DISTINCT name FROM pets')
      .all()
      .map(({ name }) => name)
  } finally {
    db.close()
  }
}

describe('the name of a backup', () => {
  it('goes to one of two databases that are saved to it at once, whole, and the other is refused', async () => {
    const folder = temporaryFolder()
    const names = ['rex', 'mia']
    const databases = await Promise.all(names.map((name) => databaseOf(folder, name, 20_000)))
    const file = join(folder, 'backup')
    const made = await Promise.all(databases.map((database) => petsProcess(['backup', file, '--database', database])))
    assert.deepEqual(made.map(({ code }) => code).toSorted(), [0, 1])
    const winner = made.findIndex(({ code }) => code === 0)
    assert.deepEqual(namesIn(file), [names[winner]])
    assert.match(made[1 - winner]?.stderr ?? '', /^\S+backup is there already; a backup overwrites nothing/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.partial')),
      [],
    )
  })

  it('costs nobody a file of his own that is called FILE.partial', async () => {
    const folder = temporaryFolder()
    const database = await databaseOf(folder, 'rex', 1)
    const file = join(folder, 'backup')
    writeFileSync(`${file}.partial`, 'mine')
    await done('backup', file, '--database', database)
    assert.equal(readFileSync(`${file}.partial`, 'utf8'), 'mine')
  })

  it('may have a stale log beside it: it is restored without that', async () => {
    const folder = temporaryFolder()
    const database = await databaseOf(folder, 'rex', 3)
    await databaseOf(folder, 'other', 300)
    const file = join(folder, 'backup')
    const other = new DatabaseSync(join(folder, 'other.db'), { timeout: 5_000 })
    other.exec("PRAGMA journal_mode = WAL; UPDATE pets SET name = 'stale'")
    copyFileSync(join(folder, 'other.db-wal'), `${file}-wal`)
    copyFileSync(join(folder, 'other.db-shm'), `${file}-shm`)
    other.close()
    await done('backup', file, '--database', database)
    const { stdout } = await done('restore', file, '--database', `sqlite:${join(folder, 'restored.db')}`)
    assert.match(stdout, /^Restored and checked: 3 animals/)
    const { code, stderr } = await pets(['find', 'rex', '--database', `sqlite:${file}`])
    assert.deepEqual([code, /the log \S+-wal of the one before was left beside it/.test(stderr)], [1, true], stderr)
  })

  it('is free again after Ctrl-C, which leaves nothing', async () => {
    const folder = temporaryFolder()
    const database = await databaseOf(folder, 'rex', 100_000)
    const file = join(folder, 'backup')
    const child = spawn(process.execPath, [PETS, 'backup', file, '--database', database])
    endWithTests(child)
    const closed = once(child, 'close')
    const partials = () => readdirSync(folder).filter((name) => name.endsWith('.partial'))
    await until('the backup has begun', async () => child.exitCode !== null || partials().length > 0)
    child.kill('SIGINT')
    const [code] = await closed
    assert.equal(code, 1)
    assert.deepEqual([partials(), existsSync(file)], [[], false])
  })
})

describe('restore', () => {
  it('of a pipe, a device or a folder says a sentence at once, and so does a database that is one', async () => {
    const folder = temporaryFolder()
    const database = `sqlite:${join(folder, 'pets.db')}`
    const pipe = join(folder, 'pipe')
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
    mkdirSync(join(folder, 'folder'))
    for (const file of [pipe, '/dev/zero', join(folder, 'folder')]) {
      const { code, stderr } = await pets(['restore', file, '--database', database])
      assert.deepEqual([code, stderr], [1, `${file} is not a file; name the backup to be restored.\n`])
    }
    for (const command of [['find', 'rex'], ['serve', '--port', '0'], ['verify'], ['backup', join(folder, 'x')]]) {
      const { code, stderr } = await pets([...command, '--database', `sqlite:${pipe}`])
      assert.deepEqual(
        [code, stderr.trim()],
        [1, `The database ${pipe} cannot be opened: it is not a file; name another one with --database.`],
      )
    }
  })

  it('says before it is done how many revoked keys and people come back, and which', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'pets.db')
    const database = ['--database', `sqlite:${path}`]
    await databaseOf(folder, 'pets', 1)
    const keys: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const { stdout } = await done('keys', 'create', '--create', '--plan', 'free', '--json', ...database)
      keys.push((JSON.parse(stdout) as { id: string }).id)
    }
    await done('people', 'invite', '--create', 'Ada', '--role', 'staff', ...database)
    await done('keys', 'revoke', keys[0] ?? '', ...database)
    const file = join(folder, 'backup')
    await done('backup', file, ...database)
    await done('keys', 'revoke', keys[1] ?? '', ...database)
    await done('keys', 'revoke', keys[2] ?? '', ...database)
    await done('people', 'revoke', 'Ada', ...database)
    const { stderr } = await done('restore', file, ...database)
    const [first, second, last] = stderr.split('\n')
    assert.equal(
      first,
      `2 keys revoked after the backup will be valid again: ${keys.slice(1).toSorted().join(', ')}. \`pets keys revoke ID\` revokes each.`,
    )
    assert.match(second ?? '', /^1 person revoked after the backup will come into the office again: Ada\. /)
    assert.match(last ?? '', /^The database that was there is kept as/)
    const again = await done('restore', file, ...database)
    assert.match(again.stderr, /^The database that was there is kept as/, 'nobody comes back')
  })

  it('names nobody who comes back when it is refused', async () => {
    const folder = temporaryFolder()
    const { code, stderr } = await pets(['restore', join(folder, 'none'), '--database', `sqlite:${folder}/pets.db`])
    assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1])
  })
})
