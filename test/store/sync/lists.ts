/** The acts of killed.ts: a sync with every kind of change, and the undo of an import with a changed animal. */
import type { FileRow } from '../../../src/store/staging.ts'
import type { Store } from '../../../src/store/store.ts'
import { authorAt, batchesOf, PLAIN_IMPORT, PLAIN_SYNC } from '../../support/store.ts'

const ANIMALS = 40

export const ACTS = {
  sync: { prepare: (store: Store) => runList(store, 'first'), run: (store: Store) => runList(store, 'second') },
  undo: {
    async prepare(store: Store) {
      await store.imports.add(batchesOf(firstList().map(({ reference: _, ...row }) => row)), PLAIN_IMPORT)
      await store.records.change([7n], { status: 'sold' }, authorAt(1))
    },
    run: (store: Store) => store.imports.undo(1n, authorAt(1)),
  },
}

async function runList(store: Store, which: 'first' | 'second'): Promise<void> {
  const rows = which === 'first' ? firstList() : secondList()
  const options = { ...PLAIN_SYNC, source: which, missing: 'remove', adopts: true } as const
  if (which === 'first') await store.pets.create({ name: 'Adopted', categoryId: 1n })
  await store.sync.run(batchesOf(rows), options)
  if (which === 'first') await store.records.remove([5n, 6n], authorAt(1))
}

function firstList(): FileRow[] {
  return Array.from({ length: ANIMALS }, (_, n) => listed(n, `Rex ${n}`))
}

function secondList(): FileRow[] {
  const rest = firstList().filter((_, n) => n % 4 > 0)
  const changed = rest.map((pet, n): FileRow => (n % 3 === 0 ? { ...pet, name: `${pet.name} II` } : pet))
  const added = Array.from({ length: ANIMALS / 4 }, (_, n) => listed(ANIMALS + n, `Luna ${n}`))
  return [...changed, ...added, { ...listed(2 * ANIMALS, 'Adopted'), categoryId: 1n }]
}

function listed(n: number, name: string): FileRow {
  return { reference: `A${n}`, name, categoryId: BigInt(n % 3), status: n % 2 === 0 ? 'available' : null, line: n + 2 }
}
