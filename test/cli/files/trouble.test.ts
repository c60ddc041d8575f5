/**
 * Every command on a database that is damaged, locked, of another user, or on a full disk: it does what it can, or says
 * why not, without a stack.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { PURGE_MS } from '../../../src/rules/bounds.ts'
import { commandsOn, pets } from '../../support/commands/commands.ts'
import { smallDisk } from '../../support/disk/small-disk.ts'
import { alter, temporaryFolder } from '../../support/folder.ts'
import { otherUserNeeded } from '../../support/other-user.ts'
import { type CommandResult, pets as petsAsProcess } from '../../support/service.ts'
import { startNobody } from '../as-nobody.ts'

const ANIMALS = `name,categoryId\n${'Rex of the harbour,1\n'.repeat(2_000)}`
const DISK_MIB = 24
/** Tables other than `pets` that no command needs to open a database. */
const TABLES = ['journal', 'keys', 'people', 'imports', 'import_ranges', 'categories', 'removed_pets']

const folder = temporaryFolder()
const sound = `${folder}/sound.db`
let key = ''

/** `{}` is a file that does not exist yet. Commands with `writes` change the database. */
const COMMANDS: readonly { readonly args: string; readonly writes?: true; readonly input?: string }[] = [
  { args: 'keys create --plan free', writes: true },
  { args: 'keys list' },
  { args: 'keys rotate KEY', writes: true },
  { args: 'keys revoke KEY', writes: true },
  { args: 'people invite Ada --role staff', writes: true },
  { args: 'people list' },
  { args: 'people revoke Bo', writes: true },
  { args: 'import -', writes: true, input: ANIMALS },
  { args: 'import - --dry-run', input: ANIMALS },
  { args: 'import - --with-ids --dry-run', input: '{"id":99999,"name":"Rex","categoryId":1}\n' },
  { args: 'sync - --ref ref --dry-run', input: 'ref,name,categoryId\nA1,Rex,1\n' },
  { args: 'imports' },
  { args: 'imports undo 1', writes: true },
  { args: 'export', writes: true },
  { args: 'find harbour' },
  { args: 'set-status sold 7', writes: true },
  { args: 'remove 8', writes: true },
  { args: 'restore-animal 8', writes: true },
  { args: 'categories' },
  { args: 'categories set 1 Dogs', writes: true },
  { args: 'backup {}' },
  { args: 'verify' },
  { args: 'copy --to sqlite:{}' },
  { args: 'health --json' },
]

/** The ten seconds for which a command waits pass in a tenth of a second. */
const HASTY = { ...systemClock, monotonic: () => 100 * systemClock.monotonic() }

const isSentence = ({ stderr }: CommandResult) => !/^\s+at |^\w*Error:|\bundefined\b/m.test(stderr)

interface Running {
  readonly run?: typeof pets
  readonly isCopied?: boolean
}

/** Runs all of them, each on a copy if `isCopied`; returns the failures by their arguments. */
async function runAll(path: string, { run = pets, isCopied = false }: Running = {}) {
  const failed = new Map<string, string>()
  const left = COMMANDS.map((command, n) => ({ ...command, n }))
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { args, input, n } = next
      const database = isCopied ? `${path}.${n}` : path
      if (isCopied) copyFileSync(path, database)
      const words = args.replace('{}', `${temporaryFolder()}/made.db`).replace('KEY', key).split(' ')
      const named = args.startsWith('copy') ? '--from' : '--database'
      const ended = await run([...words, named, `sqlite:${database}`], input === undefined ? {} : { input })
      assert(ended.code === 0 || ended.code === 1, `${args}: ${ended.code} ${ended.stderr}`)
      assert(isSentence(ended), `${args}: ${ended.stderr}`)
      assert.equal(ended.code === 1 && ended.stderr === '', false, `${args} fails without a word`)
      if (ended.code === 1) failed.set(args, ended.stderr)
    }
  }
  await Promise.all(Array.from({ length: 3 }, work))
  return failed
}

before(async () => {
  const commands = commandsOn(`sqlite:${sound}`)
  await commands.add(ANIMALS)
  key = (await commands.key('free')).id
  alter(sound, 'PRAGMA wal_checkpoint(TRUNCATE)')
})

/** A copy of the sound file in which these pages are overwritten. */
function damaged(name: string, pagesOf: (file: DatabaseSync) => readonly number[]): string {
  const path = `${folder}/${name}.db`
  copyFileSync(sound, path)
  const file = new DatabaseSync(path)
  const size = Number(file.prepare('PRAGMA page_size').get()?.page_size)
  const pages = pagesOf(file)
  file.close()
  const fd = openSync(path, 'r+')
  for (const page of pages) writeSync(fd, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  closeSync(fd)
  return path
}

describe('every command says a sentence and no stack', () => {
  const assertTold = async (tables: readonly string[], commands: readonly string[]) => {
    const path = damaged(tables.join('-'), (file) => {
      const root = file.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
      return tables.map((table) => Number(root.get(table)?.rootpage))
    })
    const failed = await runAll(path, { isCopied: true })
    for (const args of [...commands, 'verify', 'backup {}']) assert.match(failed.get(args) ?? '', /damaged/, args)
  }

  it('where the animals are damaged', () => assertTold(['pets'], ['export', 'find harbour', 'copy --to sqlite:{}']))

  it('where all the rest is damaged', () => assertTold(TABLES, ['export', 'keys list', 'people list']))

  it('where nothing but the first page can be read', async () => {
    const path = damaged('all', (file) => {
      const pages = Number(file.prepare('PRAGMA page_count').get()?.page_count)
      return Array.from({ length: pages - 1 }, (_, n) => n + 2)
    })
    const failed = await runAll(path, { isCopied: true })
    assert.deepEqual([...failed.keys()].toSorted(), COMMANDS.map(({ args }) => args).toSorted())
  })

  it('while another process is in the middle of a write', async () => {
    const path = `${folder}/locked.db`
    copyFileSync(sound, path)
    using other = new DatabaseSync(path, { timeout: 5_000 })
    other.exec('BEGIN IMMEDIATE')
    const failed = await runAll(path, { run: (args, options) => pets(args, { ...options, clock: HASTY }) })
    for (const { args, writes } of COMMANDS) {
      if (writes !== true || args === 'restore-animal 8') continue
      assert.match(failed.get(args) ?? '', /another process is writing to it|is running|There is nobody/, args)
    }
    assert(!failed.has('verify') && !failed.has('backup {}') && !failed.has('keys list'))
    for (const { args, input = '' } of COMMANDS.filter(({ args }) => args.endsWith('--dry-run'))) {
      const { code, stderr } = await pets([...args.split(' '), '--database', `sqlite:${path}`], { input })
      assert.equal(code, 0, `${args}: ${stderr}`)
    }
  })

  it('on a file of another user', otherUserNeeded, async () => {
    const path = `${folder}/theirs.db`
    copyFileSync(sound, path)
    chmodSync(path, 0o600)
    chmodSync(folder, 0o755)
    using nobody = startNobody()
    const failed = await runAll(path, { run: nobody.pets })
    assert.deepEqual([...failed.keys()].toSorted(), COMMANDS.map(({ args }) => args).toSorted())
    assert.match(failed.get('keys list') ?? '', /user/)
  })

  it('if the database is a folder or a pipe', async () => {
    const kinds = { folder: (path: string) => mkdirSync(path), pipe: (path: string) => spawnSync('mkfifo', [path]) }
    for (const [kind, make] of Object.entries(kinds)) {
      const place = temporaryFolder()
      const path = `${place}/${kind}`
      make(path)
      const failed = await runAll(path)
      assert.deepEqual([...failed.keys()].toSorted(), COMMANDS.map(({ args }) => args).toSorted())
      const restored = await pets(['restore', sound, '--database', `sqlite:${path}`])
      assert.deepEqual([restored.code, restored.stderr.split('\n').length], [1, 2], restored.stderr)
      assert.match(restored.stderr, /it is not a file/)
      assert.deepEqual(readdirSync(place), [kind])
    }
  })

  it('on a full disk', async (t) => {
    const disk = smallDisk(DISK_MIB)
    if (disk === undefined) return t.skip('this user may not mount a disk')
    const path = `${disk}/pets.db`
    copyFileSync(sound, path)
    await pets(['keys', 'list', '--database', `sqlite:${path}`]) // makes the lock files
    assert.throws(() => writeFileSync(`${disk}/full`, Buffer.alloc(DISK_MIB << 20)), /ENOSPC/)
    const failed = await runAll(path)
    assert.match(failed.get('keys create --plan free') ?? '', /disk is full/)
    assert.match(failed.get('import -') ?? '', /disk is full|make room/)
    assert.match(failed.get('backup {}') ?? '', /pets\.db cannot be read: its own disk is full/)
    const serving = await petsAsProcess(['serve', '--port', '0', '--database', `sqlite:${path}`])
    assert.deepEqual([serving.code, isSentence(serving)], [1, true], serving.stderr)
  })
})

it('a removal is done and told as done, whatever becomes of the purge of those removed long ago', async () => {
  const database = `sqlite:${temporaryFolder()}/pets.db`
  const there = commandsOn(database)
  await there.add('name,categoryId\nLuna,1\n')
  alter(
    database,
    `INSERT INTO removed_pets (id, name, category_id, removed_at_ms) VALUES (77, 'Rex', 1, 1);
     INSERT INTO shelter VALUES ('purge', ${Date.now() - PURGE_MS});
     CREATE TRIGGER refusal BEFORE DELETE ON removed_pets BEGIN SELECT raise(ABORT, 'no purge today'); END`,
  )
  const { code, stdout, stderr } = await there.run('remove', '1')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^1 animal removed\. /)
  assert.match(
    stderr,
    /^Warning: animals removed long ago could not be purged; the next removal tries again\. .*no purge today.*\n$/,
  )
  assert.equal(await there.done('export'), '')
})
