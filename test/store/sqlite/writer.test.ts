/** What many writes and long names cost a service: the log of its file stays short, and pages share their bytes. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { textOf } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
const ALL = { limit: 100, status: undefined, before: undefined }

/** As the service opens it. */
async function withStore(work: (store: SqliteStore, path: string) => Promise<void>): Promise<void> {
  const path = join(temporaryFolder(), 'pets.db')
  const store = await openSqlite(path, { serving: true, clock: systemClock })
  try {
    await work(store, path)
  } finally {
    await store.close()
  }
}

it('the log stays short although reads never stop', () =>
  withStore(async (store, path) => {
    let reading = true
    const reader = (async () => {
      while (reading) {
        store.pets.list({ ...ALL, limit: 1 })
        await new Promise(setImmediate)
      }
    })()
    const long = 'x'.repeat(3_000)
    for (let n = 0; n < 60; n += 1) {
      await Promise.all(Array.from({ length: 100 }, () => store.pets.create({ ...rex, name: long })))
    }
    // A checkpoint that a busy machine has no time for is made with a later write.
    await until('the log of 18 MB of animals is short', async () => {
      await store.pets.create({ ...rex, name: long })
      return statSync(`${path}-wal`).size < 12 << 20
    })
    reading = false
    await reader
  }))

it('large pages share the bytes of their animals, and are made once (O19)', () =>
  withStore(async (store) => {
    for (let n = 0; n < 5; n += 1) await store.pets.create({ ...rex, name: `${n}${'ü'.repeat(30_000)}` })
    const page = store.pets.list({ ...ALL, limit: 4 })
    const other = store.pets.list({ ...ALL, limit: 3 })
    assert(typeof page.json !== 'string' && typeof other.json !== 'string')
    const large = page.json.filter((piece) => piece.length > 1_000)
    assert.equal(large.length, 4)
    assert.deepEqual(
      other.json.filter((piece) => large.includes(piece)).length,
      3,
      'the same bytes, not copies of them',
    )
    assert.equal(store.pets.list({ ...ALL, limit: 4 }), page)
    const { json } = await store.pets.create({ ...rex, name: 'short' })
    await new Promise(setImmediate)
    const shifted = textOf(store.pets.list({ ...ALL, limit: 4 }))
    assert(shifted.startsWith(`[${json},`))
    assert.deepEqual(
      (JSON.parse(shifted) as { name: string }[]).map(({ name }) => name.slice(0, 1)),
      ['s', '4', '3', '2'],
    )
    assert.equal(textOf(store.pets.list({ ...ALL, limit: 1 })), `[${json}]`)
  }))
