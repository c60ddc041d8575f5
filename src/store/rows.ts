/** Animals, keys and counts as they are stored. */
import { FILTER_NAMES, type FilterValues, type PetFilter } from '../contract/pet-filter.ts'
import { isPetStatus, type NewPet, type PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from '../rules/bounds.ts'
import type { Ban } from '../rules/keys.ts'
import type { PublicMembers, TextMember } from '../rules/members.ts'
import { type Cell, type Columns, foldedOf, int, type SqlRow, table } from './sql.ts'

/** A key, known by its hash only. */
export const KEY = table({
  /** Identifies the key in commands and logs; not secret. */
  id: 'text',
  lineage: 'text',
  plan: 'text',
  perMinute: 'int',
  perDay: 'int',
  label: 'text',
  createdAtMs: 'int',
  expiresAtMs: 'int?',
  revokedAtMs: 'int?',
  /** To the minute. */
  lastUsedAtMs: 'int?',
  /** The latest ban of its lineage, over or not. */
  ban: (cell) => (typeof cell === 'string' ? (JSON.parse(cell) as Ban) : undefined),
  /** The `untilMs` of the last ban that was lifted. */
  liftedUntilMs: 'int?',
})

export type Key = ReturnType<typeof KEY.row>

/** Each has `pet_id`, a column with the name of the text, and `folded`, which is unique. */
export const TEXT_TABLES: Readonly<Record<TextMember, string>> = { reference: 'pet_references' }

const STORED = {
  name: 'text',
  categoryId: 'text',
  status: toStatus,
} as const satisfies Record<keyof PublicMembers, unknown>

export const STORED_ANIMAL = table({ id: 'text', ...STORED })

/** The columns without derived ones. */
export const VALUE_COLUMNS = Object.keys(table(STORED).types)

/** The Pet of the API as stored; int64 is decimal text (R4, R5). */
export type StoredAnimal = ReturnType<typeof STORED_ANIMAL.row>

export type MemberValue = PublicMembers[keyof PublicMembers]

/** The columns of each member. The first one contains its value. */
const COLUMNS_OF = {
  name: { name: 'text', folded: 'text' },
  categoryId: { category_id: 'bigint' },
  status: { status: 'text' },
} as const satisfies Record<keyof PublicMembers, Columns>

export const STORED_MEMBERS = Object.keys(STORED) as readonly (keyof PublicMembers)[]

/** What an animal keeps when it is removed or restored, besides its id. */
export const MEMBER_TYPES: Columns = Object.assign({}, ...Object.values(COLUMNS_OF))
export const MEMBER_COLUMNS = Object.keys(MEMBER_TYPES)

export function columnsOf(name: keyof PublicMembers): Columns {
  return COLUMNS_OF[name]
}

/** The conditions of a filter, or one that is always true. `bind` adds a value. */
export function whereOf(
  filter: PetFilter,
  bind: (value: FilterValues[keyof PetFilter], name: keyof PetFilter) => string,
): string {
  const conditions = FILTER_NAMES.flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [`${Object.keys(COLUMNS_OF[name])[0]} = ${bind(value, name)}`]
  })
  return ['true', ...conditions].join(' AND ')
}

export function cellsOf(name: keyof PublicMembers, value: MemberValue): Cell[] {
  return name === 'name' ? [value, foldedOf(String(value))] : [value]
}

export function newCells(pet: NewPet | PublicMembers): Cell[] {
  return cellsAt(STORED_MEMBERS.map((name) => pet[name] ?? null))
}

/** The cells of MEMBER_COLUMNS, from a flat array of STORED_MEMBERS from `start` on. */
export function cellsAt(values: readonly MemberValue[], start = 0): Cell[] {
  const cells: Cell[] = []
  for (const [place, name] of STORED_MEMBERS.entries()) cells.push(...cellsOf(name, values[start + place] ?? null))
  return cells
}

type AnimalTable = 'pets' | 'removed_pets'

/** The number of its latest journal entry, or 0. */
const versionIn = (pets: AnimalTable) => ['bigint', `(SELECT max(n) FROM journal WHERE pet_id = ${pets}.id)`] as const

/** The animals of a table, as a change refers to them. */
export function targetsIn(pets: AnimalTable) {
  return table({ id: 'bigint', version: versionIn(pets) })
}

/** The animals of a table with their versions. `isBrief` shortens names. */
export function animalsOfTable(pets: AnimalTable, isBrief = false) {
  return table({
    id: 'text',
    ...STORED,
    name: ['text', isBrief ? `substr(name, 1, ${BRIEF_NAME + 1})` : 'name'],
    version: versionIn(pets),
    removedAtMs: ['int?', pets === 'pets' ? 'CAST(NULL AS bigint)' : 'removed_at_ms'],
  })
}

export type AnimalRecord = ReturnType<ReturnType<typeof animalsOfTable>['row']>

/** The number of animals by status. `none`: without a status (O4). */
export type AnimalCounts = Readonly<Record<PetStatus | 'none', number>>

/** Rows of a status, or 'none', with their number (Dialect.countAll). */
export function toCounts(rows: readonly SqlRow[]): AnimalCounts {
  const none = { available: 0, pending: 0, sold: 0, none: 0 }
  return { ...none, ...Object.fromEntries(rows.map(([status, n]) => [status, int(n)])) }
}

export function toStatus(cell: unknown): PetStatus | undefined {
  return isPetStatus(cell) ? cell : undefined
}
