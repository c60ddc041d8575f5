/** The same list week after week: what was confirmed is remembered, and what is not clear is asked. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListJob, ListResult } from '../../src/animals-file/lists.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { newDatabase } from '../support/folder.ts'
import { readInto } from '../support/lists.ts'
import { patientClock } from '../support/time/clock.ts'

const HEADER = 'Ref,Name,Species,Status'
const BASE = 'name = Name\ncategory = Species\nreference = Ref'
const MAP = `${BASE}\nstatus = Status\nstatus: Available = available`

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
  const dated = (...days: string[]) =>
    [`${HEADER},Date in`, ...days.map((day, n) => `A-${n},Rex,Dog,Available,${day}`)].join('\n')

  for (const [title, second, dates] of [
    ['are read as a day above 12 settles it', '20/10/2026', 'day first'],
    ['are not read as days to come', '12/11/2026', 'day first'],
    ['are asked if nothing settles them', '05/06/2026', '?'],
    ['are not settled by a month with a name', 'Nov 2 2026', '?'],
  ] as const) {
    it(title, () =>
      inWeeks(async (store) => {
        const result = await readInto(store, dated('03/04/2026', second), { sync: {} })
        assert.equal(lineOf(result, 'dates')?.value, dates)
      }),
    )
  }

  it('are read in the order that was confirmed, where a later file does not settle it', () =>
    inWeeks(async (store) => {
      await confirmed(store, dated('03/04/2026', '20/10/2026'))
      const result = await again(store, dated('03/04/2026'))
      assert.deepEqual([result.isConfirmed, lineOf(result, 'dates')?.value], [true, 'day first'])
    }))
})

describe('several rows with one reference', () => {
  const pair = `${HEADER}\nA-1,Rex,Dog,Available\nA-7,Bonnie,Cat,Available\nA-7,Clyde,Cat,Available`

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

describe('two columns of references', () => {
  it('are a question of an import if an animal has several rows', () =>
    inWeeks(async (store) => {
      const list = ['Animal ID,Animal number,Name,Species,Status', '1,A-1,Rex,Dog,Sold', '1,A-1,Rex,Dog,Available']
      const more = ['2,A-2,Mia,Cat,Available', '3,A-3,Tom,Cat,Available']
      const result = await readInto(store, [...list, ...more].join('\n'))
      assert.equal(lineOf(result, 'reference')?.value, '?')
    }))
})

describe('a layout that was confirmed', () => {
  it('gives an animal its status back that was sold because it was missing', () =>
    inWeeks(async (store) => {
      const week = (...ids: string[]) => `Ref,Name,Species\n${ids.map((id) => `${id},Animal ${id},Dog`).join('\n')}`
      await confirmed(store, week('1', '2'), `${BASE}\nstatus =\nstatus: = available\nmissing = sold`)
      await again(store, week('2'))
      assert.deepEqual(await animalsIn(store), ['Animal 1 sold', 'Animal 2 available'])
      await again(store, week('1', '2'))
      assert.deepEqual(await animalsIn(store), ['Animal 1 available', 'Animal 2 available'])
    }))

  it('keeps its list of a JSON file when other layouts are kept', () =>
    inWeeks(async (store) => {
      const animals = [{ Ref: 'A-1', Name: 'Rex', Species: 'Dog', Status: 'Available' }]
      const list = JSON.stringify({ old: animals, now: animals })
      await confirmed(store, list, `${MAP}\nlist = now`)
      await confirmed(store, 'Animal ID,Name,Species,Status,Date in\nB-1,Mia,Cat,Available,2026-10-20')
      assert.equal((await again(store, list)).isConfirmed, true)
    }))

  it('reads a file with its spelling of headers, of which another layout names as many', () =>
    inWeeks(async (store) => {
      const list = `${HEADER},Day\n1,Rex,Dog,Available,2026-10-20`
      await confirmed(store, list, MAP)
      const map = 'name =\ncategory = Species\nreference = REF\narrived = DAY\nstatus = STATUS\nstatus: Away = none'
      await confirmed(store, 'REF,Species,STATUS,DAY\n2,Cat,Away,2026-10-20', map)
      assert.equal((await again(store, list)).isConfirmed, true)
    }))

  for (const [title, list, status, layouts] of [
    ['is changed by a mapping for a column with a new name', 'Stage\n1,Rex,Dog,Available', 'Available = available', 1],
    ['stays if a mapping is for another report', 'Stage\n1,Rex,Dog,Here', 'Here = none', 2],
    ['stays if a mapping reads another column', 'Status,Stage\n1,Rex,Dog,,Available', 'Available = available', 2],
  ] as const) {
    it(title, () =>
      inWeeks(async (store) => {
        await confirmed(store, `${HEADER}\n1,Rex,Dog,Available`, MAP)
        await confirmed(store, `Ref,Name,Species,${list}`, `${BASE}\nstatus = Stage\nstatus: ${status}`)
        assert.equal((await store.layouts.list()).length, layouts)
      }),
    )
  }
})
