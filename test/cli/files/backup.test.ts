/** `pets backup`, `restore` and `verify`, next to a service and with real damage. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { schema } from '../../../src/store/sqlite/file/migrations.ts'
import { assertDone, assertRefused, commandsOn, pets } from '../../support/commands/commands.ts'
import { diskNeeded, startFaultyDisk } from '../../support/disk/disk.ts'
import { alter, namesIn, temporaryFolder } from '../../support/folder.ts'
import { skipUnless } from '../../support/programs.ts'
import { createdId, pets as petsProcess, startPets, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const mountNeeded = skipUnless(
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0,
  'only root can mount, where the system lets it',
)

describe('backup, restore and verify', { concurrency: 2 }, () => {
  async function withDatabase(animals = 3) {
    const folder = temporaryFolder()
    const path = join(folder, 'pets.db')
    const database = `sqlite:${path}`
    const commands = commandsOn(database)
    const add = (n: number, name: string) =>
      commands.add(`name,categoryId\n${Array.from({ length: n }, (_, i) => `${name} ${i},1\n`).join('')}`)
    await add(animals, 'Rex')
    return { folder, path, database, ...commands, add }
  }

  /** Everything except what a service writes by itself. */
  function everything(path: string) {
    using db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    const tables = ['pets', 'pet_counts', 'removed_pets', 'journal', 'imports', 'import_ranges', 'categories', 'keys']
    const all = [...tables, 'counters', 'changes', 'sqlite_sequence']
    return all.map((table) => db.prepare(`SELECT * FROM ${table}`).all())
  }

  it('a backup contains everything, and a restore keeps the replaced database', async () => {
    const { folder, path, done, add } = await withDatabase()
    await done('keys', 'create', '--create', '--plan', 'free')
    await done('remove', '2')
    await done('categories', 'set', '1', 'Dogs')
    const then = everything(path)
    const file = join(folder, 'backup.db')
    assert.equal(await done('backup', file), 'Backed up and checked: 2 animals, 1 removed, 1 key, 4 journal entries.\n')
    await add(5, 'Later')
    await done('set-status', 'sold', '1')
    const later = everything(path)
    await done('restore', file)
    assert.deepEqual(everything(path), then)
    const [aside = ''] = namesIn(folder, /^pets\.db\.before-restore-/)
    assert.deepEqual(everything(join(folder, aside)), later)
    assert.match(await done('verify'), /^The database is sound: 2 animals, 1 removed/)
    assert.match(await done('find', '', '--status', 'none'), /^1 +- /m)
  })

  it('a backup of a service under load is a snapshot with everything acknowledged before', async () => {
    const { folder, path, database } = await withDatabase(20_000)
    await using service = await startService({ database })
    const { key } = await service.issueKey()
    const acknowledged: number[] = []
    let writing = true
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) acknowledged.push(await createdId(service, key, 'New'))
    })
    while (acknowledged.length < 50) await new Promise((resolve) => setImmediate(resolve))
    const before = [...acknowledged]
    const file = join(folder, 'backup.db')
    assertDone(await petsProcess(['backup', file, '--database', database]))
    writing = false
    await Promise.all(writers)
    assert(acknowledged.length > before.length, 'the service went on while the backup was made')
    using db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    const ids = [...db.prepare('SELECT id FROM pets ORDER BY id').iterate()].map(({ id }) => Number(id))
    for (const id of before) assert(ids.includes(id), `animal ${id} was acknowledged before`)
    assert(
      ids.every((id, n) => id === n + 1),
      'no animal without those before it',
    )
    assert.equal(statSync(file).mode, statSync(path).mode)
  })

  it('a file that is there already is not overwritten, and a failure leaves nothing behind', async () => {
    const { folder, refused } = await withDatabase()
    writeFileSync(join(folder, 'taken'), 'mine')
    await refused(/taken is there already/, 'backup', join(folder, 'taken'))
    assert.equal(readFileSync(join(folder, 'taken'), 'utf8'), 'mine')
    await refused(/cannot be opened or made/, 'backup', join(folder, 'none', 'backup.db'))
    assert.deepEqual(namesIn(folder, /partial/), [])
  })

  it('an interrupted backup leaves no file behind', diskNeeded, async () => {
    const { folder, database, done } = await withDatabase()
    const file = join(folder, 'backup.db')
    const partials = () => namesIn(folder, /\.partial$/)
    // Writes wait for the disk until the end of the test.
    using disk = startFaultyDisk({ files: ['*.partial'], delayMs: 3_600_000 })
    for (const [signal, left] of [
      ['SIGINT', 0],
      ['SIGKILL', 1],
    ] as const) {
      const { process: command, ended } = startPets(['backup', file, '--database', database], {
        env: disk.env,
        detached: true,
      })
      await until('it is being written', () => partials().length > 0)
      process.kill(-(command.pid ?? 0), signal)
      assert.equal(await ended, signal === 'SIGINT' ? 1 : null)
      assert.deepEqual([existsSync(file), partials().length], [false, left])
    }
    assert.match(await done('backup', file), /^Backed up and checked: 3 animals/)
    assert.equal(partials().length, 1, 'what the killed one has left, and nothing of the next')
  })

  it('restore refuses while the service runs, and while another process has the file open', async () => {
    const { folder, path, database, done, refused } = await withDatabase()
    const file = join(folder, 'backup.db')
    await done('backup', file)
    const service = await startService({ database })
    await refused(/`pets serve` is running on .*; stop it first/, 'restore', file)
    await service.stop()
    const other = new DatabaseSync(path, { timeout: 5_000 })
    other.exec('BEGIN; SELECT * FROM pets')
    const before = everything(path)
    await refused(/Another process has .* open/, 'restore', file)
    other.close()
    assert.deepEqual(everything(path), before)
    assert.deepEqual(namesIn(folder, /restor/), [])
  })

  it('restore refuses a file that is damaged, truncated, newer, missing, or of another program', async () => {
    const { folder, path, done, refused } = await withDatabase(2_000)
    const file = join(folder, 'backup.db')
    await done('backup', file)
    const whole = readFileSync(file)
    const before = everything(path)
    const bad = (name: string, content: Buffer | string) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const holed = Buffer.from(whole)
    holed.fill(0x55, 8 * 4096, 12 * 4096)
    await refused(/damaged/, 'restore', bad('holed.db', holed))
    await refused(/damaged/, 'restore', bad('cut.db', whole.subarray(0, whole.length / 2)))
    await refused(/not a SQLite database/, 'restore', bad('text.db', 'hello '.repeat(1_000)))
    await refused(/empty\.db is empty/, 'restore', bad('empty.db', ''))
    await refused(/There is no file/, 'restore', join(folder, 'none.db'))
    await refused(/is the database itself/, 'restore', path)
    alter(bad('newer.db', whole), `PRAGMA user_version = ${schema() + 1}`)
    await refused(/written by a newer version/, 'restore', join(folder, 'newer.db'))
    assert.deepEqual(everything(path), before)
  })

  it('restore replaces animals with a backup without animals only with --yes', async () => {
    const { folder, path, done, refused } = await withDatabase()
    const file = join(folder, 'backup.db')
    const none = commandsOn(`sqlite:${join(folder, 'none.db')}`)
    await none.key('free')
    await none.done('backup', file)
    const before = everything(path)
    const sentence = /backup\.db holds no animals, and the database holds 3; name another backup, or add --yes/
    await refused(sentence, 'restore', file)
    assert.deepEqual(everything(path), before)
    assert.deepEqual(namesIn(folder, /restor/), [])
    await none.done('restore', file)
    assert.match(await done('restore', file, '--yes'), /^Restored and checked: 0 animals, 0 removed, 1 key/)
  })

  it('a copy of a running database, taken with its log, is restored with what the log holds', async () => {
    const { folder, path, database, done } = await withDatabase()
    await using service = await startService({ database })
    const { key } = await service.issueKey()
    await createdId(service, key, 'In the log')
    for (const end of ['', '-wal']) copyFileSync(path + end, join(folder, `copy.db${end}`))
    const elsewhere = `sqlite:${join(folder, 'new', 'pets.db')}`
    const restored = assertDone(await pets(['restore', join(folder, 'copy.db'), '--database', elsewhere])).stdout
    assert.equal(restored, 'Restored and checked: 4 animals, 0 removed, 1 key, 2 journal entries.\n')
    assert.match(await done('verify'), /^The database is sound: 4 animals/)
  })

  it('a damaged database can be restored over, and is kept with its log', async () => {
    const { folder, path, database, done, refused } = await withDatabase(2_000)
    const file = join(folder, 'backup.db')
    await done('backup', file)
    const content = readFileSync(path)
    content.fill(0x55, 100, 4096)
    writeFileSync(path, content)
    await refused(/the file is (damaged|not a SQLite database)/, 'serve', '--port', '0')
    await refused(/the file is (damaged|not a SQLite database)/, 'verify')
    await done('restore', file)
    const [aside = ''] = namesIn(folder, /^pets\.db\.before-restore-/)
    assert.deepEqual(readFileSync(join(folder, aside)), content)
    await using service = await startService({ database })
    assert.match(service.output(), /serving/)
  })

  it('verify finds counts, names and rows that are not as they should be, each in a sentence', async () => {
    const { path, refused } = await withDatabase()
    const sql = (text: string) => alter(path, text)
    sql("UPDATE pet_counts SET n = 9 WHERE status = 'none'")
    await refused(/^The count of animals with status none is 9, and there are 3 of them\.$/m, 'verify')
    sql("UPDATE pet_counts SET n = 3 WHERE status = 'none'")
    sql("INSERT INTO removed_pets VALUES (1, 'x', 1, NULL, 1, NULL)")
    await refused(/^Animals that are both there and removed: 1\.$/m, 'verify')
    sql(
      "DELETE FROM removed_pets; INSERT INTO pet_references (pet_id, reference, folded) VALUES (1, 'A1', 'a1'), (99, 'A2', 'a2')",
    )
    await refused(/^References of no animal: 1\.$/m, 'verify')
  })

  it(
    'a restore onto a file that is a mount point of its own is refused in a sentence, and leaves nothing',
    mountNeeded,
    async () => {
      const { folder, path, database, done } = await withDatabase(3)
      const file = join(folder, 'backup.db')
      await done('backup', file)
      const script = 'mount --bind "$1" "$1" && exec "$2" src/cli/pets.ts restore "$3" --database "$4"'
      const args = ['-m', 'sh', '-c', script, 'sh', path, process.execPath, file, database]
      const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
      assert.equal(status, 1)
      assert.match(stderr, /^\S+ is a mount point of its own and cannot be replaced; [^\n]+ Nothing was changed\.\n$/)
      assert.deepEqual(namesIn(folder, /before-restore|restoring/), [])
    },
  )

  it('on PostgreSQL they say what to type there, and never the password', async () => {
    const at = '--host=db.example --port=6432 --username='
    const tools = {
      'backup x': `pg_dump --format=custom ${at}user --file=pets.dump pets`,
      'restore x': `pg_restore --clean --if-exists --single-transaction ${at}user --dbname=pets pets.dump`,
      verify: `pg_amcheck --install-missing --heapallindexed ${at}postgres pets`,
    }
    for (const [task, tool] of Object.entries(tools)) {
      const url = 'postgres://user:secret@db.example:6432/pets'
      const refused = await pets([...task.split(' '), '--database', url])
      assertRefused(refused, new RegExp(`^ {4}${tool}$`, 'm'))
      assert.doesNotMatch(refused.stderr, /secret/)
    }
  })
})
