/** What syncs change: animals, references, the journal, and which imports are undone. */
import assert from 'node:assert/strict'
import type { Store } from '../../../src/store/store.ts'
import { WHOLE_JOURNAL } from '../../support/store.ts'

export async function everythingOf(store: Store) {
  const archive = store.archive
  const table = async (name: string) => {
    const found = (await archive.tables()).find((one) => one.name === name)
    assert(found !== undefined)
    return archive.rows(found, undefined)
  }
  const references = new Map((await table('pet_references')).map(([id, reference]) => [id, reference]))
  const animals: Record<string, object> = {}
  const keep = (id: string, where: string, name: string | null, categoryId: string, status: string | null) => {
    animals[id] = { where, reference: references.get(id), values: { name, categoryId: BigInt(categoryId), status } }
  }
  for await (const pets of store.pets.export()) {
    for (const { id, name, categoryId, status } of pets) keep(id, 'there', name, categoryId, status ?? null)
  }
  for (const [id, name, categoryId, status] of await table('removed_pets')) {
    keep(id ?? '', 'removed', name ?? '', categoryId ?? '', status ?? null)
  }
  const origins = await store.origins.provenance(Object.keys(animals).map(BigInt))
  for (const [at, [id, animal]] of Object.entries(animals).entries())
    animals[id] = { ...animal, hasLeft: origins[at]?.leftMs !== undefined }
  const journal = (await store.records.journal(WHOLE_JOURNAL)).toReversed().map(({ act, petId, from, to }) => {
    return { act, petId: petId === undefined ? undefined : Number(petId), from, to }
  })
  const undone = (await store.imports.list(1_000)).toReversed().map(({ undoneAtMs }) => undoneAtMs !== undefined)
  return { animals, journal, undone }
}
