/** What is kept as text has a bound (that it is what the file holds: freshness.test.ts). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import { ListCache, PetCache } from '../../../src/store/sqlite/reading/cache.ts'
import type { PetJson, PetPage } from '../../../src/store/store.ts'

const MIB = 1 << 20
/** So many MiB of long names are kept of a list, and so many animals. */
const KEPT_MIB = 8
const KEPT = 101
/** Ids that are so far apart have the same place. */
const SLOTS = 131_072n

/** Lists that are kept, over a table of which it is counted how often it was read, and how much was asked for. */
class Kept {
  readonly lists = new ListCache()
  readonly reads: number[] = []
  readonly #table: { readonly pet: PetJson; readonly status: PetStatus | undefined }[] = []
  readonly #names = Array.from({ length: KEPT_MIB + 1 }, (_, n) => String(n).padStart(MIB, 'x'))

  add(status?: PetStatus, isLong = false): void {
    const id = BigInt(this.#table.length + 1)
    const json = isLong ? (this.#names[Number(id) % this.#names.length] ?? '') : `{"id":${id}}`
    this.#table.unshift({ pet: { id, json }, status })
    this.lists.add({ name: '', categoryId: 1n, ...(status && { status }) }, { id, json })
  }

  addMany(count: number, status?: PetStatus, isLong = false): void {
    for (let n = 0; n < count; n += 1) this.add(status, isLong)
  }

  page(limit: number, status?: PetStatus): void {
    const of = this.#table.filter((each) => status === undefined || each.status === status).map(({ pet }) => pet)
    const told = this.lists.page({ status }, limit, (count) => {
      this.reads.push(count)
      return of.slice(0, count)
    })
    const shown = of.slice(0, limit)
    assert(textOf(told) === `[${shown.map(({ json }) => json).join(',')}]`, `the page of ${limit}`)
    assert.equal(told.nextBefore, of.length > limit ? shown.at(-1)?.id.toString() : undefined)
  }
}

function textOf({ json }: PetPage): string {
  return typeof json === 'string' ? json : Buffer.concat(json).toString()
}

describe('lists that are kept', () => {
  it('keep at most 8 MiB of long names', () => {
    const kept = new Kept()
    kept.page(100)
    kept.addMany(KEPT_MIB, 'sold', true)
    kept.page(100)
    assert.deepEqual(kept.reads, [KEPT], 'as much as is kept')
    kept.add('pending', true)
    kept.page(KEPT_MIB - 1)
    assert.equal(kept.reads.length, 1, 'the newest are kept')
    kept.page(KEPT_MIB)
    kept.page(20)
    assert.deepEqual(kept.reads.slice(1), [KEPT_MIB + 1, 21])
    kept.page(5, 'pending')
    kept.page(6, 'pending')
    assert.deepEqual(kept.reads.slice(3), [KEPT], 'other lists are kept for themselves')
    kept.addMany(KEPT - KEPT_MIB)
    for (const limit of [20, 100]) kept.page(limit)
    assert.equal(kept.reads.length, 4, 'a hundred are kept again')
    const large = new Kept()
    large.addMany(KEPT_MIB + 1, 'sold', true)
    large.page(3)
    large.page(20)
    assert.deepEqual(large.reads, [KEPT, 21], 'of what is read too')
  })

  it('are sixteen, whatever values clients filter by: the first that was kept goes', () => {
    const kept = new Kept()
    const filters = Array.from({ length: 17 }, (_, n) => `value ${n}` as PetStatus)
    for (const status of [...filters, ...filters.slice(1)]) kept.page(20, status)
    assert.equal(kept.reads.length, 17)
    kept.page(20, filters[0])
    assert.equal(kept.reads.length, 18)
  })
})

describe('animals that are kept', () => {
  it('leave their place to another that is asked for twice, and only to that', () => {
    const pets = new PetCache()
    const [first, second, third] = [7n, 7n + SLOTS, 7n - SLOTS]
    assert.equal(pets.get(first), undefined)
    pets.set(first, 'first')
    pets.set(second, 'second')
    pets.set(third, 'third')
    const kept = () => [first, second, third].map((id) => pets.get(id))
    assert.deepEqual(kept(), ['first', undefined, undefined])
    pets.set(third, 'third')
    assert.deepEqual(kept(), [undefined, undefined, 'third'])
    pets.set(8n, 'eight')
    assert.deepEqual([pets.get(8n), pets.get(third)], ['eight', 'third'])
    pets.clear()
    assert.deepEqual([pets.get(8n), pets.get(third)], [undefined, undefined])
  })

  it('are short: there are many places', () => {
    const pets = new PetCache()
    pets.set(1n, 'x'.repeat(1_001))
    pets.set(2n, 'x'.repeat(1_000))
    assert.deepEqual([pets.get(1n), pets.get(2n)?.length], [undefined, 1_000])
  })
})
