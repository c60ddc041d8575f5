/**
 * Lists as shelters have them: open data of cities, exports of systems, sheets of rescues, invented animals under real
 * headings and words. What is proposed for each is what a careful person would take from it (`expected.txt`: reference,
 * name, category, status; `/` between what is as right), or a question. Nothing is taken from it without a confirmation.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fold } from '../../src/common/fold.ts'
import { openStore } from '../../src/store/open.ts'
import { memoryFolder } from '../support/folder.ts'
import { readInto } from '../support/lists.ts'
import { patientClock } from '../support/time/clock.ts'

interface Animal {
  readonly reference: string
  readonly name: string
  readonly category: string
  readonly status: readonly string[]
}

const HERE = join(import.meta.dirname, 'lists')
/** The share of lists whose proposal is right and has no question. */
const LEAST_RIGHT = 0.6

function listsIn(folder: string) {
  const parts = readFileSync(join(HERE, folder, 'expected.txt'), 'utf8')
    .trim()
    .split('\n\n')
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const [, file = '', reference = ''] = /^## (.+?): (.+)$/.exec(title) ?? []
    const animals = lines.map((line): Animal => {
      const [ref = '', name = '', category = '', status = ''] = line.split('|').map((cell) => cell.trim())
      return { reference: ref, name, category, status: status.split('/') }
    })
    return { file: join(HERE, folder, file), source: file, reference, animals }
  })
}

/** The kind of an animal, without the plural. */
function kind(category: string): string {
  return fold(category).replace(/s$/, '')
}

function assertAs(file: string, found: readonly Animal[], expected: readonly Animal[]) {
  const left = [...found]
  for (const one of expected) {
    const at = left.findIndex(({ reference }) => reference === one.reference)
    if (at === -1 && one.status.includes('none')) continue
    assert(at !== -1, `${file}: ${one.reference} ${one.name} is missing`)
    const [animal] = left.splice(at, 1)
    assert(one.status.includes(animal?.status[0] ?? ''), `${file}: ${one.reference} is ${animal?.status[0]}`)
    assert.equal(kind(animal?.category ?? ''), kind(one.category), `${file}: ${one.reference}`)
    if (one.name !== '') assert.equal(animal?.name, one.name, file)
  }
  assert.deepEqual(left, [], file)
}

const databases = memoryFolder()

describe('the proposal for a list', () => {
  const all = ['portals', 'systems', 'sheets'].flatMap(listsIn)
  let right = 0
  for (const { file, source, reference, animals } of all) {
    it(`is right or has a question: ${source}`, async () => {
      const url = `sqlite:${join(databases, `${source}.db`)}`
      const store = await openStore(url, { serving: false, clock: patientClock })
      const job = { source, sync: { reference } }
      const bytes = readFileSync(file)
      const silent = await readInto(store, bytes, job)
      const isKnown = silent.look.by.kind === 'ready'
      assert(isKnown || (await store.pets.count()).none === 0, 'nothing is done without a confirmation')
      const { outcome } = isKnown ? silent : await readInto(store, bytes, { ...job, confirms: true })
      if (outcome?.n !== undefined) {
        right += 1
        const names = await store.categories.names()
        const found: Animal[] = []
        for await (const pets of store.pets.export()) {
          const origins = await store.origins.provenance(pets.map(({ id }) => BigInt(id)))
          for (const [n, { name, categoryId, status = 'none' }] of pets.entries()) {
            const category = names.get(BigInt(categoryId)) ?? ''
            found.push({ reference: origins[n]?.reference ?? '', name, category, status: [status] })
          }
        }
        assertAs(source, found, animals)
      }
      await store.close()
    })
  }

  it('is right without a question for most lists', () => assert(right >= LEAST_RIGHT * all.length, `${right}`))
})
