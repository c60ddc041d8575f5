/**
 * What can be changed of an animal, each member declared once. Edits, the journal, undos and syncs go through
 * PET_MEMBERS; the store has the columns of each member, and the office its form (a type error otherwise).
 */
import { numberText, parseJson } from '../contract/json.ts'
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'

export interface PetMembers {
  readonly name: string
  readonly categoryId: bigint
  /** Null for none (O4). */
  readonly status: PetStatus | null
  /** The other system's id of it, which no two animals have; null for none. */
  readonly reference: string | null
}

/** New values of an animal. An absent member stays unchanged. */
export type PetChanges = Partial<PetMembers>

/** How each is read from the journal, where an int64 has all its digits. */
const READERS: { readonly [Name in keyof PetMembers]: (json: unknown) => PetMembers[Name] } = {
  name: String,
  categoryId: (json) => BigInt(numberText(json) ?? 0),
  status: (json) => (isPetStatus(json) ? json : null),
  reference: (json) => (typeof json === 'string' ? json : null),
}

export const PET_MEMBERS = Object.keys(READERS) as readonly (keyof PetMembers)[]

/** The members of an entry of the journal, before or after. */
export function readMembers(json: string | undefined): PetChanges {
  const values = (json === undefined ? {} : parseJson(json)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    PET_MEMBERS.filter((name) => Object.hasOwn(values, name)).map((name) => [name, READERS[name](values[name])]),
  )
}

/**
 * The members in which a change differs, before and after, as the journal has them; undefined if in none. What
 * `before` lacks is new, and is only told if there is something.
 */
export function difference(before: PetChanges, changes: PetChanges) {
  const from: string[] = []
  const to: string[] = []
  for (const name of PET_MEMBERS) {
    const [was, now] = [toJson(before[name]), toJson(changes[name])]
    if (now === undefined || was === now || (was === undefined && now === 'null')) continue
    if (was !== undefined) from.push(`"${name}":${was}`)
    to.push(`"${name}":${now}`)
  }
  return to.length === 0 ? undefined : { from: `{${from}}`, to: `{${to}}` }
}

function toJson(value: PetMembers[keyof PetMembers] | undefined): string | undefined {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
