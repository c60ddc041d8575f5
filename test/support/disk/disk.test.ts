/**
 * That the disk of test/support/disk/disk.ts is slow and fails as told, also under the SQLite that is built into node.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../folder.ts'
import { diskNeeded, startFaultyDisk } from './disk.ts'

/** Does one step for each line of its input, and says what came of it: the error's code, or how long it took. */
const PROGRAM = `
const { DatabaseSync } = require('node:sqlite')
const { appendFileSync } = require('node:fs')
const db = new DatabaseSync(process.argv[1] + '/pets.db', { timeout: 5_000 })
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x)')
const steps = {
  commit: () => db.exec('INSERT INTO t VALUES (1)'),
  read: () => new DatabaseSync(process.argv[1] + '/pets.db', { timeout: 5_000 }).prepare('SELECT count(*) FROM t').get(),
  other: () => appendFileSync(process.argv[1] + '/other', 'x', { flush: true }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (step) => {
  const began = performance.now()
  let errcode = 0
  try { steps[step]() } catch (error) { errcode = error.errcode ?? error.code }
  console.log(JSON.stringify({ errcode, tookMs: performance.now() - began }))
})
`
const SQLITE_IOERR = 10
const SQLITE_FULL = 13

describe('a faulty disk', diskNeeded, () => {
  it('delays syncs, fails calls as it is told while the process runs, and leaves other files alone', async () => {
    using disk = startFaultyDisk({ unmapped: true })
    const child = spawn(process.execPath, ['-e', PROGRAM, temporaryFolder()], {
      env: { ...process.env, ...disk.env },
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: 60_000,
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const run = async (step: string) => {
      child.stdin.write(`${step}\n`)
      const { errcode, tookMs } = JSON.parse((await lines.next()).value ?? '') as { errcode: number; tookMs: number }
      return { code: errcode & 0xff, tookMs }
    }
    assert.equal((await run('commit')).code, 0)
    disk.delay(40)
    assert((await run('commit')).tookMs >= 40)
    disk.delay(300_000)
    // Longer than this process lives.
    assert.equal((await run('other')).code, 0, 'another file is not slowed')
    disk.delay(0)
    disk.fail({ writes: 1, error: 'ENOSPC' })
    assert.equal((await run('commit')).code, SQLITE_FULL)
    assert.equal((await run('other')).code, 0)
    disk.fail({ syncs: 1 })
    assert.equal((await run('commit')).code, SQLITE_IOERR)
    disk.fail({ reads: 1 })
    assert.equal((await run('read')).code, SQLITE_IOERR)
    const { reads, writes, syncs } = disk.failed()
    assert(reads > 0 && writes > 0 && syncs > 0)
    disk.fail({})
    assert.equal((await run('commit')).code, 0)
    assert.equal((await run('read')).code, 0)
    child.stdin.end()
    await once(child, 'exit')
  })
})
