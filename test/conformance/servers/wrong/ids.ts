/** Servers that are wrong about the ids that they give (R4). */
import { type Wrong, wrong } from '../mutate.ts'
import { type Behaviour, CORRECT } from '../reference.ts'

const adopting: Partial<Behaviour> = {
  readNewPet: (text, incoming) => CORRECT.readNewPet(text.replace(/"id":\d+,/, ''), incoming),
  newId: (pets, incoming) => BigInt(/"id":(\d+)/.exec(incoming.body)?.[1] ?? pets.length + 1),
}

/** The same id for creations that are under way at once. */
const racing: Partial<Behaviour> = { commit: () => new Promise((resolve) => setTimeout(resolve, 5)) }

export const ID_DEFECTS: readonly Wrong[] = [
  wrong('one id for all', { newId: () => 1n }, 'ids-unique-created'),
  wrong(
    'ids by status',
    { newId: (_pets, { body }) => (body.includes('sold') ? 3n : body.includes('pending') ? 2n : 1n) },
    'ids-unique-created',
  ),
  wrong('ids that come again after three', { newId: (pets) => BigInt((pets.length % 3) + 1) }, 'ids-unique-created'),
  wrong('an id that the client sends is adopted', adopting, 'id-not-adopted'),
  wrong('the same id for creations at once', racing, 'ids-unique-at-once'),
]
