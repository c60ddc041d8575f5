/** The same list week after week: what was confirmed is remembered, and what is not clear is asked. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListJob, ListResult } from '../../src/animals-file/lists.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { newDatabase } from '../support/folder.ts'
import { readInto } from '../support/lists.ts'
import { patientClock } from '../support/time/clock.ts'

const HEADER = 'Animal ID,Name,Species,Status,Date in'
const MAP = 'name = Name\ncategory = Species\nreference = Animal ID\nstatus = Status\nstatus: Available = available'

async function inWeeks(work: (store: Store) => Promise<void>) {
  const store = await openStore(newDatabase(), { serving: false, clock: patientClock })
  await work(store).finally(() => store.close())
}

const CONFIRMED: Partial<ListJob> = { sync: {}, confirms: true, agrees: true, adopts: false }
const confirmed = (store: Store, list: string, mapping?: string) => readInto(store, list, { ...CONFIRMED, mapping })
const again = (store: Store, list: string) => readInto(store, list, { sync: {}, agrees: true })
const lineOf = ({ look }: ListResult, key: string) => look.lines.find((line) => line.key === key)

async function animalsIn(store: Store) {
  const animals: string[] = []
  for await (const pets of store.pets.export()) for (const { name, status } of pets) animals.push(`${name} ${status}`)
  return animals
}

describe('the days of a list', () => {
  for (const [title, rows, dates] of [
    [
      'are read as a day above 12 settles it',
      'A-1,Rex,Dog,Available,03/11/2026\nA-2,Mia,Cat,Available,20/10/2026',
      'day first',
    ],
    ['are not read as days to come', 'A-1,Rex,Dog,Available,03/11/2026\nA-2,Mia,Cat,Available,12/11/2026', 'day first'],
    ['are asked if nothing settles them', 'A-1,Rex,Dog,Available,03/04/2026\nA-2,Mia,Cat,Available,05/06/2026', '?'],
    [
      'are not settled by a month with a name',
      'A-1,Rex,Dog,Available,03/04/2026\nA-2,Mia,Cat,Available,Nov 2 2026',
      '?',
    ],
  ] as const) {
    it(title, () =>
      inWeeks(async (store) => {
        const list = `${HEADER}\n${rows}`
        assert.equal(lineOf(await readInto(store, list, { sync: {} }), 'dates')?.value, dates)
      }),
    )
  }

  it('are read in the order that was confirmed, where a later file does not settle it', () =>
    inWeeks(async (store) => {
      await confirmed(store, `${HEADER}\nA-1,Rex,Dog,Available,20/10/2026\nA-2,Mia,Cat,Available,03/04/2026`)
      const result = await again(store, `${HEADER}\nA-2,Mia,Cat,Available,03/04/2026`)
      assert.deepEqual([result.isConfirmed, lineOf(result, 'dates')?.value], [true, 'day first'])
    }))
})

describe('several rows with one reference', () => {
  const pair = 'Animal ID,Name,Species,Status\nA-1,Rex,Dog,Available\nA-7,Bonnie,Cat,Available\nA-7,Clyde,Cat,Available'

  it('are a question, with their names', () =>
    inWeeks(async (store) => {
      const line = lineOf(await confirmed(store, pair), 'latest')
      assert.deepEqual([line?.value, line?.shows.includes('A-7 Bonnie, A-7 Clyde')], ['?', true], `${line?.shows}`)
      assert.deepEqual(await animalsIn(store), [])
    }))

  it('are animals of their own if the mapping says so', () =>
    inWeeks(async (store) => {
      await confirmed(store, pair, `${MAP}\nseveral = each`)
      assert.deepEqual(await animalsIn(store), ['Rex available', 'Bonnie available', 'Clyde available'])
    }))
})

describe('a layout that was confirmed', () => {
  it('gives an animal its status back that was sold because it was missing', () =>
    inWeeks(async (store) => {
      const week = (...ids: string[]) =>
        `Animal ID,Name,Species\n${ids.map((id) => `${id},Animal ${id},Dog`).join('\n')}`
      const map =
        'name = Name\ncategory = Species\nreference = Animal ID\nstatus =\nstatus: = available\nmissing = sold'
      await confirmed(store, week('1', '2'), map)
      await again(store, week('2'))
      assert.deepEqual(await animalsIn(store), ['Animal 1 sold', 'Animal 2 available'])
      await again(store, week('1', '2'))
      assert.deepEqual(await animalsIn(store), ['Animal 1 available', 'Animal 2 available'])
    }))

  it('keeps its list of a JSON file when other layouts are kept', () =>
    inWeeks(async (store) => {
      const animals = [{ ref: 'A-1', name: 'Rex', species: 'Dog', status: 'Available' }]
      const list = JSON.stringify({ old: animals, now: animals })
      const map =
        'name = name\ncategory = species\nreference = ref\nstatus = status\nstatus: Available = available\nlist = now'
      await confirmed(store, list, map)
      await confirmed(store, `${HEADER}\nB-1,Mia,Cat,Available,2026-10-20`)
      assert.equal((await again(store, list)).isConfirmed, true)
    }))

  for (const [title, header, mapping, layouts] of [
    ['is changed by a mapping for a column with a new name', 'Ref,Name,Species,Stage', ['status = Stage'], 1],
    [
      'stays if a mapping is for another report',
      'Ref,Name,Species,Stage',
      ['status = Stage', 'status: Here = none'],
      2,
    ],
    ['stays if a mapping reads another column', 'Ref,Name,Species,Status,Stage', ['status = Stage'], 2],
  ] as const) {
    it(title, () =>
      inWeeks(async (store) => {
        const base = 'name = Name\ncategory = Species\nreference = Ref\n'
        const words = title.startsWith('stays if a mapping is for') ? '' : '\nstatus: Available = available'
        await confirmed(
          store,
          'Ref,Name,Species,Status\n1,Rex,Dog,Available',
          `${base}status = Status\nstatus: Available = available`,
        )
        const cells = header
          .split(',')
          .slice(3)
          .map(() => (words === '' ? 'Here' : 'Available'))
        await confirmed(store, `${header}\n1,Rex,Dog,${cells}`, `${base}${mapping.join('\n')}${words}`)
        assert.equal((await store.layouts.list()).length, layouts)
      }),
    )
  }
})
