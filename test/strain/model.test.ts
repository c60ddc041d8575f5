/** The strain can find something: the model refuses what a fault would leave. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyState } from '../model/operator.ts'
import { type Create, explain, type Ran, type Seen, type State } from './model.ts'
import type { Act } from './plan.ts'

const ranOf = (n: number, act: Act, about: readonly string[], more: Partial<Ran> & { rows?: number } = {}): Ran => ({
  step: { n, act, picks: [], rows: more.rows ?? 1, cut: undefined, isOther: false },
  about,
  outcome: 'acknowledged',
  stdout: '',
  startMs: 0,
  endMs: 1,
  ...more,
})
const AT = '2026-11-21T12:00:00Z'
const entry = (act: string, more: object = {}) => JSON.stringify({ n: '1', at: AT, who: 'cli', act, ...more })
const milo = { id: '1', name: 'Milo', categoryId: 1 }
const rex = { id: '2', name: 'Rex', categoryId: 1, status: 'sold' }

function baseOf(...pets: (typeof milo | typeof rex)[]): State {
  const has = emptyState()
  for (const { id, name, categoryId, ...more } of pets)
    has.animals.set(BigInt(id), { name, categoryId: BigInt(categoryId), status: undefined, ...more })
  return { has, journal: [] }
}
/** The imports are those of the journal, unless told. */
const seenOf = (
  animals: Seen['animals'],
  journal: readonly string[] = [],
  imports: Seen['imports'] = importsIn(journal),
): Seen => ({ animals, journal, keys: [], imports })
function importsIn(journal: readonly string[]): Seen['imports'] {
  const entries = journal.map((line) => JSON.parse(line) as { act: string; from?: string; to?: string })
  const undone = new Set(entries.map(({ from = '{}' }) => JSON.parse(from).import))
  const all = entries.flatMap(({ act, to = '{}' }) => (act === 'import' ? [JSON.parse(to).import] : []))
  return all.map((n) => ({ n: String(n), isUndone: undone.has(n) }))
}
const removal = (animal: string) => entry('remove', { animal })

const refuses = (why: RegExp, ...what: Parameters<typeof explain>) => assert.throws(() => explain(...what), why)

describe('the model of a strain refuses', () => {
  it('an acknowledged animal that is lost, and one that nobody added', () => {
    const create: Create = { name: 'c0.0', categoryId: 1, id: '3', endMs: 1 }
    refuses(/Milo, is lost/, baseOf(milo), seenOf([]), [], [])
    refuses(/acknowledged and is lost/, baseOf(), seenOf([]), [], [create])
    refuses(/added by nothing/, baseOf(), seenOf([milo]), [], [])
    assert.equal(explain(baseOf(), seenOf([]), [], [{ ...create, id: undefined }]).has.animals.size, 0)
  })

  it('an acknowledged change that is not in the journal, and a refused one that is', () => {
    const remove = ranOf(1, 'remove', ['1'])
    refuses(/acknowledged, but not in the journal/, baseOf(milo), seenOf([milo]), [remove], [])
    refuses(/no command explains/, baseOf(milo), seenOf([], [removal('1')]), [{ ...remove, outcome: 'refused' }], [])
    refuses(/was removed, and is shown/, baseOf(milo), seenOf([milo], [removal('1')]), [remove], [])
    for (const journal of [[], [removal('1')]]) {
      const animals = journal.length === 0 ? [milo] : []
      explain(baseOf(milo), seenOf(animals, journal), [{ ...remove, outcome: 'cut' }], [])
    }
  })

  it('a half of a change that was cut', () => {
    const remove = ranOf(1, 'remove', ['1', '2'], { outcome: 'cut' })
    refuses(/no command explains/, baseOf(milo, rex), seenOf([rex], [removal('1')]), [remove], [])
    refuses(/Milo, is lost/, baseOf(milo, rex), seenOf([rex]), [remove], [])
  })

  it('no change whose entries stand among those of another', () => {
    const both = [ranOf(1, 'remove', ['1', '2']), ranOf(2, 'remove', ['3', '4'])]
    const [three, four] = [
      { ...milo, id: '3' },
      { ...milo, id: '4' },
    ]
    const journal = ['1', '3', '2', '4'].map(removal)
    explain(baseOf(milo, rex, three, four), seenOf([], journal), both, [])
    refuses(/no command explains/, baseOf(milo, rex, three, four), seenOf([four], journal.slice(0, 3)), both, [])
  })

  it('a part of an import, an import that is there twice, and a wrong count of an undo', () => {
    const adding = ranOf(2, 'import', [], { rows: 2 })
    const told = (animals: number, n = 1) =>
      entry('import', { to: JSON.stringify({ import: n, animals, source: 'i2.csv' }) })
    const first = { id: '1', name: 'i2.csv.0.', categoryId: 1 }
    const second = { id: '2', name: 'i2.csv.1.', categoryId: 2, status: 'pending' }
    refuses(/are missing/, baseOf(), seenOf([first], [told(2)]), [adding], [])
    refuses(/added by nothing/, baseOf(), seenOf([first]), [{ ...adding, outcome: 'cut' }], [])
    const both = seenOf([first, second], [told(2), told(2, 2)])
    refuses(/twice/, baseOf(), both, [adding, { ...adding }], [])
    const state = explain(baseOf(), seenOf([first, second], [told(2)]), [adding], [])
    const undo = ranOf(3, 'undo', ['1'])
    const undone = (animals: number) =>
      seenOf([], [told(2), entry('undo import', { from: JSON.stringify({ import: 1, animals }) })])
    refuses(/no command explains/, state, undone(1), [undo], [])
    assert.equal(explain(state, undone(2), [undo], []).has.removed.size, 2)
    assert.equal(
      explain(state, undone(2), [undo, { ...undo }], []).has.removed.size,
      2,
      'the second goes on with the first',
    )
    const another = { ...undo, stdout: 'Import 1 is undone: 0 animals removed.' }
    refuses(/not in the journal/, state, undone(2), [{ ...undo, stdout: 'other' }, another], [])
  })

  it('an import that is not marked as the journal says, is not listed, or is listed and in no journal', () => {
    const adding = ranOf(2, 'import', [])
    const animal = { id: '1', name: 'i2.csv.0.', categoryId: 1 }
    const added = entry('import', { to: JSON.stringify({ import: 1, animals: 1, source: 'i2.csv' }) })
    const undone = [added, entry('undo import', { from: JSON.stringify({ import: 1, animals: 1 }) })]
    const its = (isUndone: boolean) => [{ n: '1', isUndone }]
    const undo = ranOf(3, 'undo', ['1'], { outcome: 'cut' })
    const state = explain(baseOf(), seenOf([animal], [added]), [adding], [])
    refuses(/1 is marked as undone/, state, seenOf([animal], [added], its(true)), [undo], [])
    refuses(/1 is not marked as undone/, state, seenOf([], undone, its(false)), [undo], [])
    refuses(/1, i2\.csv\.0\., is lost/, state, seenOf([], [added], its(true)), [undo], [])
    refuses(/1 is not listed/, state, seenOf([animal], [added], []), [], [])
    refuses(/1 is listed/, baseOf(milo), seenOf([milo], [], its(false)), [], [])
    explain(state, seenOf([], undone, its(true)), [undo], [])
    explain(state, seenOf([animal], [added], its(false)), [undo], [])
  })
})
