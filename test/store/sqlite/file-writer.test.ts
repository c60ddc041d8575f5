/** Whatever happens to the file of a service, what is acknowledged is in it. */
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileId } from '../../../src/store/sqlite/file/wal.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { type Batch, openWriter } from '../../../src/store/sqlite/writing/file-writer.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { patientClock } from '../../support/time/clock.ts'

it('acknowledges nothing after its file was moved, even just before the commit', async () => {
  const path = join(temporaryFolder(), 'pets.db')
  await (await openSqlite(path, { serving: false, clock: patientClock })).close()
  let looks = 0
  let moveAt = 0
  const monotonic = () => {
    looks += 1
    if (looks === moveAt) renameSync(path, `${path}.moved`)
    return looks * 10
  }
  const writer = openWriter({ path, fileId: fileId(path), clock: { ...patientClock, monotonic }, isServing: true })
  const rex: Batch = { creates: ['Rex', 7n, null], creators: [[undefined, 1]], minute: 0, writes: [], timeoutMs: 0 }
  const create = () => writer.side.batches.commit(rex)
  const assertRefused = async () => {
    const message = `The database cannot be used: ${path} was moved, removed or replaced; nothing was done.`
    await assert.rejects(create(), { message, retryAfterS: 5 })
    renameSync(`${path}.moved`, path)
  }
  assert.equal((await create()).firstId, 1n)
  renameSync(path, `${path}.moved`)
  await assertRefused()
  assert.equal((await create()).firstId, 2n, 'it is there again')
  moveAt = looks + 1
  await assertRefused()
  assert.equal((await create()).firstId, 3n)
  await writer.close()
})
