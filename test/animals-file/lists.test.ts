/**
 * Lists as shelters have them, with invented animals under real headers and words. `expected.txt` has what a careful
 * person would take from each: reference, name, category, status; `/` between what is as right.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fold } from '../../src/common/fold.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { memoryFolder } from '../support/folder.ts'
import { readInto } from '../support/lists.ts'
import { patientClock } from '../support/time/clock.ts'

const databases = memoryFolder()
const HERE = join(import.meta.dirname, 'lists')
/** The share of lists whose proposal is right and has no question. */
const LEAST_RIGHT = 0.6

const LISTS = ['portals', 'systems', 'sheets'].flatMap((folder) => {
  const parts = readFileSync(join(HERE, folder, 'expected.txt'), 'utf8')
    .trim()
    .split('\n\n')
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const [, source = '', reference = ''] = /^## (.+?): (.+)$/.exec(title) ?? []
    const expected = lines.map((line) => line.split('|').map((cell) => cell.trim()))
    return { file: join(HERE, folder, source), source, reference, expected }
  })
})

/** The kind of an animal, without the plural. */
const kind = (category: string) => fold(category).replace(/s$/, '')

async function assertAs(store: Store, expected: readonly (readonly string[])[]) {
  const categories = await store.categories.names()
  const left = new Map<string, readonly string[]>()
  for await (const pets of store.pets.export()) {
    const origins = await store.origins.provenance(pets.map(({ id }) => BigInt(id)))
    for (const [n, { name, categoryId, status = 'none' }] of pets.entries())
      left.set(origins[n]?.reference ?? '', [name, categories.get(BigInt(categoryId)) ?? '', status])
  }
  for (const [reference = '', name = '', category = '', statuses = ''] of expected) {
    const found = left.get(reference)
    if (found === undefined && statuses.split('/').includes('none')) continue
    assert(found !== undefined && left.delete(reference), `${reference} ${name} is missing`)
    assert(statuses.split('/').includes(found[2] ?? ''), `${reference} is ${found[2]}`)
    const names = [name === '' ? name : found[0], kind(found[1] ?? '')]
    assert.deepEqual(names, [name, kind(category)], reference)
  }
  assert.deepEqual([...left], [])
}

describe('the proposal for a list', () => {
  let right = 0
  for (const { file, source, reference, expected } of LISTS) {
    it(`is right or has a question: ${source}`, async () => {
      const store = await openStore(`sqlite:${join(databases, source)}.db`, { serving: false, clock: patientClock })
      const job = { source, sync: { reference } }
      const silent = await readInto(store, readFileSync(file), job)
      const isKnown = silent.look.by.kind === 'ready'
      assert(isKnown || (await store.pets.count()).none === 0, 'nothing is done without a confirmation')
      const { outcome } = isKnown ? silent : await readInto(store, readFileSync(file), { ...job, confirms: true })
      if (outcome?.n !== undefined) {
        right += 1
        await assertAs(store, expected)
      }
      await store.close()
    })
  }

  it('is right without a question for most lists', () => assert(right >= LEAST_RIGHT * LISTS.length, `${right}`))
})
