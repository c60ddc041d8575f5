/** The steps of the office: forms, changes of what was read, category names, searches. */
import fc from 'fast-check'
import type { NewPet, PetStatus } from '../../../src/contract/schemas.ts'
import { addByForm, change, label, versionOf } from '../../model/operator.ts'
import { assertSame, by, fraction, type History, pickOf, stepsOf } from '../history.ts'
import { authorOf, type Place } from '../place.ts'

const ANIMALS: readonly NewPet[] = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'Zoë', categoryId: 9_223_372_036_854_775_807n },
  { name: 'luna', categoryId: -1n, status: 'sold' },
]

const adding = stepsOf({
  name: 'add',
  weight: 2,
  draw: fc.record({ form: fc.nat(12), animal: fc.constantFrom(...ANIMALS) }),
  async play(history, place: Place, { form: number, animal }) {
    const form = `form ${number}`
    history.tell(`# in the office: the form ${number} adds ${animal.name}`)
    const { state } = history
    const operator = await place.operator('office')
    const { pet, isNew } = await operator.store.records.add(animal, authorOf(operator), form)
    const expected = addByForm(state, form, { status: undefined, ...animal }, BigInt(pet?.id ?? 0), place.nowMs())
    assertSame('whether the animal is new', isNew, expected.isNew)
    const isThere = state.animals.has(expected.id) || state.removed.has(expected.id)
    assertSame('the animal of the form', pet?.id, isThere ? String(expected.id) : undefined)
  },
})

/** Somebody else may have changed the same since it was read: then nothing is done, and the newer values are told. */
const changeOfRead = stepsOf({
  name: 'change of what was read',
  weight: 2,
  draw: fc.record({ by: by(), pick: fraction(), isStale: fc.boolean() }),
  can: (history) => history.state.animals.size > 0,
  async play(history, place: Place, { by, pick, isStale }) {
    const { state } = history
    const id = pickOf([...state.animals.keys()], pick) ?? 0n
    const operator = await place.operator(by)
    const { records } = operator.store
    const latest = async () => BigInt((await records.journal({ petId: id, limit: 1 }))[0]?.n ?? 0)
    // Of the service the number counts the entries of bans too, which the model does not have.
    const at = versionOf(state, id)
    const read = await latest()
    assertSame('whether the animal has entries', read > 0n, at > 0)
    // The entries of one purge are in any order, and its ids can come back with an import.
    if (state.journal[at - 1]?.act === 'purge') return
    const version = isStale ? read - 1n : read
    const last = state.journal[at - 1]
    const isSame = last !== undefined && (last.act !== 'edit' || /"status":/.test(`${last.from}${last.to}`))
    const isConflict = isStale && isSame
    history.tell(`# in the office: animal ${id}, as it was read (version ${version}), gets the status pending`)
    const changes = { status: 'pending' } as const
    const { missing, conflicts, pets } = await records.change([{ id, version }], changes, authorOf(operator))
    assertSame('what is missing', missing, [])
    assertSame(
      'what conflicts',
      conflicts.map((pet) => [pet.id, pet.version]),
      isConflict ? [[id, read]] : [],
    )
    if (!isConflict) change(state, [id], changes, place.nowMs())
    assertSame(
      'what was reached',
      pets.map((pet) => [pet.id, pet.version]),
      isConflict ? [] : [[id, await latest()]],
    )
  },
})

const labelling = stepsOf({
  name: 'label',
  weight: 0.5,
  draw: fc.record({ by: by(), category: fc.constantFrom(7n, -1n), text: fc.constantFrom('Cats', 'Dogs', undefined) }),
  async play(history, place: Place, { by, category, text }) {
    history.tell(`pets categories ${text === undefined ? 'unlabel' : 'label'} ${category} ${text ?? ''}`)
    const operator = await place.operator(by)
    const { categories } = operator.store
    const shared = await categories.name(new Map([[category, text]]), authorOf(operator))
    const other = [...history.state.labels].find(([id, label]) => id !== category && label === text)
    const isKept = text === undefined || history.state.labels.get(category) === text
    assertSame('whose name it is already', shared?.other, isKept ? undefined : other?.[0])
    if (shared === undefined) label(history.state, category, text, place.nowMs())
    assertSame('the names of categories', [...(await categories.names())].sort(), [...history.state.labels].sort())
  },
})

const TEXTS = ['luna', 'LUN', 'zoe', 'Zoë', 'import', 'edited 1', 'é', 'rex', 'nobody']

const finding = stepsOf({
  name: 'find',
  weight: 1,
  draw: fc.record({
    by: by(),
    text: fc.constantFrom(...TEXTS),
    status: fc.constantFrom(undefined, undefined, 'sold', 'none'),
  }),
  async play(history, place: Place, { by, text, status }) {
    history.tell(`pets find '${text}'${status === undefined ? '' : ` --status ${status}`} --limit 10000`)
    const { records } = (await place.operator(by)).store
    const query = { text, status: status as PetStatus | 'none' | undefined, limit: 10_000 }
    const found = await records.find(query)
    assertSame(
      'what is found',
      found.map(({ id }) => id),
      namesWith(history, text, status).map(String),
    )
  },
})

/** Each word is a part of the name, without regard to case and accents; the newest first. */
function namesWith({ state: { animals } }: History, text: string, status: string | undefined): bigint[] {
  const plain = (name: string) => name.toLowerCase().replaceAll('ë', 'e').replaceAll('é', 'e')
  const words = plain(text).split(' ')
  const found = [...animals].filter(
    ([, { name, status: own = 'none' }]) =>
      words.every((word) => plain(name).includes(word)) && (status === undefined || own === status),
  )
  return found.map(([id]) => id).sort((a, b) => (a > b ? -1 : 1))
}

export const officeSteps = [adding, changeOfRead, labelling, finding]
