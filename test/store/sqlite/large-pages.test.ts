/** What long names cost a service: pages share their bytes. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { textOf } from '../../support/store.ts'

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
const ALL = { limit: 100, status: undefined, before: undefined }

it('large pages share the bytes of their animals, and are made once (O19)', async (t) => {
  const store = await openSqlite(join(temporaryFolder(), 'pets.db'), { serving: true, clock: systemClock })
  t.after(() => store.close())
  for (let n = 0; n < 5; n += 1) await store.pets.create({ ...rex, name: `${n}${'ü'.repeat(30_000)}` })
  const page = store.pets.list({ ...ALL, limit: 4 })
  const other = store.pets.list({ ...ALL, limit: 3 })
  assert(typeof page.json !== 'string' && typeof other.json !== 'string')
  const large = page.json.filter((piece) => piece.length > 1_000)
  assert.equal(large.length, 4)
  assert.deepEqual(other.json.filter((piece) => large.includes(piece)).length, 3, 'the same bytes, not copies of them')
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
})
