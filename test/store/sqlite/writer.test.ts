/** The thread that writes the service's file: how it fails, and what is then true of its requests. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { systemClock } from '../../../src/common/system-clock.ts'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { authorAt } from '../../support/author.ts'
import { textOf } from '../../support/browser/page.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
const ALL = { limit: 100, status: undefined, before: undefined }

describe('the thread that writes', () => {
  let path: string
  let store: SqliteStore
  const reports: string[] = []
  const threads: Worker[] = []
  const note = (worker: Worker) => void threads.push(worker)

  before(async () => {
    process.on('worker', note)
    path = join(temporaryFolder(), 'pets.db')
    store = await SqliteStore.open(path, {
      serving: true,
      clock: systemClock,
      report: (trouble) => reports.push(trouble),
    })
  })
  after(async () => {
    process.off('worker', note)
    await store.close()
  })
  beforeEach(() => {
    reports.length = 0
  })

  it('is started again when it has ended, and nothing acknowledged is lost (R9, O23)', async () => {
    const acknowledged = new Map<bigint, string>()
    let refused = 0
    for (let round = 0; round < 12 || (refused === 0 && round < 100); round += 1) {
      const creating = Array.from({ length: 40 }, async (_, n) => {
        try {
          const { id, json } = await store.pets.create({ ...rex, name: `${round}.${n}` })
          acknowledged.set(id, json)
        } catch (error) {
          assert(error instanceof StoreUnavailable, String(error))
          refused += 1
        }
      })
      // A batch leaves after a few turns, and writing it takes many.
      for (let turn = 0; turn < round % 12; turn += 1) await nextTurn()
      await threads.at(-1)?.terminate()
      await Promise.all(creating)
      const { id, json } = await store.pets.create(rex)
      acknowledged.set(id, json)
    }
    assert(refused > 0, 'some were caught in the middle')
    assert.match(reports[0] ?? '', /has ended \(.*\) and is started again/)
    for (const [id, json] of acknowledged) assert.equal(store.pets.get(id), json)
  })

  it('refuses what waited too long for another process that writes, and nothing of it was done (O23)', async () => {
    const names = () => textOf(store.pets.list(ALL))
    const other = new DatabaseSync(path, { timeout: 5_000 })
    other.exec('BEGIN IMMEDIATE')
    const refused = (error: unknown) => error instanceof StoreUnavailable && error.retryAfterS === 1
    await Promise.all(
      [1, 2, 3, 4].map((n) => assert.rejects(store.pets.create({ ...rex, name: `late ${n}` }), refused)),
    )
    other.exec('ROLLBACK')
    other.close()
    await store.pets.create({ ...rex, name: 'again' })
    assert.doesNotMatch(names(), /late/)
    assert.match(names(), /again/)
  })

  it('a key that violates a constraint fails alone, and the rest of its batch is done', async () => {
    const key = {
      ...{ id: 'one', lineage: 'one', plan: 'pro' as const, perMinute: 1, perDay: 1, label: '', createdAtMs: 1 },
      ...{ expiresAtMs: undefined, revokedAtMs: undefined, lastUsedAtMs: undefined },
    }
    await store.keys.add(key, 'hash', authorAt(1))
    const [again, created, other] = await Promise.allSettled([
      store.keys.add(key, 'another', authorAt(1)),
      store.pets.create(rex),
      store.keys.add({ ...key, id: 'two' }, 'third', authorAt(1)),
    ])
    assert.deepEqual([again.status, created.status, other.status], ['rejected', 'fulfilled', 'fulfilled'])
    assert.equal(await store.keys.find('another'), undefined)
    assert.equal((await store.keys.find('third'))?.id, 'two')
  })

  it('the log stays short although reads never stop', async () => {
    const { statSync } = await import('node:fs')
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
  })
})

describe('large pages', () => {
  it('share the bytes of their animals, and are made once (O19)', async () => {
    const store = await SqliteStore.open(join(temporaryFolder(), 'pets.db'), { serving: true, clock: systemClock })
    try {
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
    } finally {
      await store.close()
    }
  })

  it('too large to be cached are read each time, and are correct too', async () => {
    const store = await SqliteStore.open(join(temporaryFolder(), 'pets.db'), { serving: true, clock: systemClock })
    try {
      const long = 'y'.repeat(1 << 20)
      for (let n = 0; n < 40; n += 1) await store.pets.create({ ...rex, name: `${n} ${long}` })
      const page = store.pets.list({ ...ALL, limit: 36 })
      assert.notEqual(store.pets.list({ ...ALL, limit: 36 }), page)
      assert.deepEqual(
        (JSON.parse(textOf(page)) as { name: string }[]).map(({ name }) => Number.parseInt(name, 10)),
        Array.from({ length: 36 }, (_, n) => 39 - n),
      )
    } finally {
      await store.close()
    }
  })
})
