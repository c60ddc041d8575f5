/** How animals are read and changed within the transaction of an act, an import or a sync. */
import type { NewPet } from '../contract/schemas.ts'
import { isUndoable, UNDONE_BY } from '../rules/changes.ts'
import type { JournalAct } from '../rules/journal.ts'
import {
  type AnimalChanges,
  type AnimalMembers,
  ofTexts,
  readMembers,
  TEXT_MEMBERS,
  type TextMember,
} from '../rules/members.ts'
import type { Author } from './author.ts'
import { type JournalEntry, type NewEntry, write } from './journal.ts'
import {
  type AnimalRecord,
  animalsOfTable,
  cellsOf,
  columnsOf,
  MEMBER_COLUMNS,
  newCells,
  STORED_MEMBERS,
  TEXT_TABLES,
} from './rows.ts'
import { big, type Columns, type Database, indexedOf, lockRows, numberOf, type Sql, text, type Value } from './sql.ts'
import { noteReturns } from './waits.ts'

const ANIMAL_TABLES = ['pets', 'removed_pets'] as const

const PET = `id, ${MEMBER_COLUMNS}`

/** Removed or not. */
export async function selectAny(
  db: Database,
  sql: Sql,
  ids: readonly bigint[],
  isBrief = false,
): Promise<readonly AnimalRecord[]> {
  const { isIn } = db.dialect
  const [pets, removed] = [animalsOfTable('pets', isBrief), animalsOfTable('removed_pets', isBrief)]
  const isOne = isIn('id', 1)
  const both = `FROM pets WHERE ${isOne} UNION ALL SELECT ${removed.columns} FROM removed_pets WHERE ${isOne}`
  const byId = new Map((await pets.select(sql, both, [ids])).map((pet) => [pet.id, pet]))
  return ids.flatMap((id) => byId.get(String(id)) ?? [])
}

/** Locks matching animals. One that is restored during the wait can be missed in both tables, so this repeats. */
export async function lockAnimals(db: Database, sql: Sql, condition: string, values: readonly Value[] = []) {
  if (db.dialect.forUpdate === '') return
  const all = ANIMAL_TABLES.map((table) => `SELECT id FROM ${table} WHERE ${condition}`).join(' UNION ALL ')
  for (let locked = -1, existing = 0; locked < existing; ) {
    locked = 0
    for (const table of ANIMAL_TABLES) locked += await lockRows(db, sql, table, condition, values)
    existing = await numberOf(sql, `SELECT count(*) FROM (${all}) AS existing`, values)
  }
}

export function membersOf({ id, name, categoryId, status }: AnimalRecord, textsOf: TextsOf): AnimalMembers {
  const texts = textsOf(BigInt(id))
  return { name, categoryId: BigInt(categoryId), status: status ?? null, ...ofTexts((text) => texts[text] ?? null) }
}

export async function insertAnimal({ dialect }: Database, sql: Sql, pet: NewPet): Promise<bigint> {
  const cells = newCells(pet)
  const bound = cells.map((_, at) => `$${at + 1}`)
  const [row] = await sql(`INSERT INTO pets (${MEMBER_COLUMNS}) VALUES (${bound}) RETURNING id`, cells)
  const id = big(row?.[0])
  await dialect.addToCounts(sql, 'pets WHERE id = $1', [id])
  return id
}

export async function setMembers(
  db: Database,
  sql: Sql,
  edits: readonly { readonly petId: bigint; readonly changes: AnimalChanges }[],
): Promise<void> {
  const namesOf = (changes: AnimalChanges) => STORED_MEMBERS.filter((name) => changes[name] !== undefined)
  for (const alike of Map.groupBy(edits, ({ changes }) => namesOf(changes).join()).values()) {
    const names = namesOf(alike[0]?.changes ?? {})
    const columns: Columns = Object.assign({}, ...names.map(columnsOf))
    const rows = alike.map(({ petId, changes }) => [
      petId,
      ...names.flatMap((name) => cellsOf(name, changes[name] ?? null)),
    ])
    const input = db.dialect.inputTable({ pet_id: 'bigint', ...columns }, rows)
    const set = Object.keys(columns).map((column) => `${column} = input.${column}`)
    if (names.length > 0)
      await sql(`UPDATE pets SET ${set} FROM ${input.from} WHERE pets.id = input.pet_id`, input.values)
  }
  for (const name of TEXT_MEMBERS) {
    const texts = edits.flatMap(({ petId, changes: { [name]: text } }) => (text === undefined ? [] : [{ petId, text }]))
    if (texts.length > 0) await setTexts(db, sql, name, texts)
  }
}

export async function removeAnimals(
  sql: Sql,
  condition: string,
  values: readonly Value[],
  atMs: number,
): Promise<void> {
  const select = `SELECT ${PET}, CAST($${values.length + 1} AS bigint) FROM pets WHERE ${condition}`
  await sql(`INSERT INTO removed_pets (${PET}, removed_at_ms) ${select}`, [...values, atMs])
  await sql(`DELETE FROM pets WHERE ${condition}`, values)
}

export async function restoreAnimals({ dialect }: Database, sql: Sql, ids: readonly bigint[]): Promise<void> {
  const isOne = dialect.isIn('id', 1)
  await sql(`INSERT INTO pets (${PET}) SELECT ${PET} FROM removed_pets WHERE ${isOne} ORDER BY id`, [ids])
  await dialect.addToCounts(sql, `removed_pets WHERE ${isOne}`, [ids])
  await sql(`DELETE FROM removed_pets WHERE ${isOne}`, [ids])
}

/** Undoes entries whose locked animals are still as the entries left them. Returns what `write` does. */
export async function undoEntries(
  db: Database,
  sql: Sql,
  entries: readonly JournalEntry[],
  by: Author,
): Promise<bigint | undefined> {
  const idOf = ({ petId = '' }: JournalEntry) => BigInt(petId)
  const petIds = (undoing: JournalAct) =>
    entries.flatMap((entry) => (isUndoable(entry.act) && UNDONE_BY[entry.act] === undoing ? [idOf(entry)] : []))
  const edits = entries.map((entry) => {
    const { act, from, to } = entry
    const [former, latter] = [readMembers(from), readMembers(to)]
    const isMoved = act !== 'edit' && act !== 'restore'
    const names = TEXT_MEMBERS.filter((name) => name in latter)
    const texts = Object.fromEntries(names.map((name) => [name, former[name] ?? null]))
    return { petId: idOf(entry), changes: { ...(!isMoved && former), ...texts } }
  })
  await setMembers(db, sql, edits)
  await restoreAnimals(db, sql, petIds('restore'))
  await removeAnimals(sql, db.dialect.isIn('id', 1), [petIds('remove')], by.atMs)
  const actN = await write(db, sql, by, entries.flatMap(undoOf))
  await noteReturns(db, sql, entries.filter(({ statusWas, statusNow }) => statusWas !== statusNow).map(idOf))
  return actN
}

/** The entry that undoes another one. If that is an undo, the entry that it undid applies again. */
function undoOf({ n, act, petId = '', from, to, undoes = n, ...states }: JournalEntry): NewEntry[] {
  if (!isUndoable(act)) return []
  const { statusWas = states.statusNow, categoryWas = states.categoryNow } = states
  const swapped = {
    statusWas: states.statusNow,
    statusNow: statusWas,
    categoryWas: states.categoryNow,
    categoryNow: categoryWas,
  }
  return [{ act: UNDONE_BY[act], petId: BigInt(petId), from: to, to: from, ...swapped, undoes }]
}

export class TextTaken extends Error {
  override readonly name = 'TextTaken'

  constructor(name: TextMember, value: string, petId: bigint) {
    super(`the ${name} ${value} is that of animal ${petId}`)
  }
}

type TextsOf = (id: bigint) => Readonly<Partial<Record<TextMember, string | undefined>>>

export async function textsOf(
  { dialect }: Database,
  sql: Sql,
  ids: readonly bigint[],
  names: readonly TextMember[] = TEXT_MEMBERS,
): Promise<TextsOf> {
  const texts = new Map<TextMember, ReadonlyMap<bigint, string>>()
  for (const name of names) {
    const rows = await sql(`SELECT pet_id, ${name} FROM ${TEXT_TABLES[name]} WHERE ${dialect.isIn('pet_id', 1)}`, [ids])
    texts.set(name, new Map(rows.map(([id, value]) => [big(id), text(value)])))
  }
  return (id) => ofTexts((name) => texts.get(name)?.get(id))
}

/** Runs in the transaction of the entries. Null removes a text. Throws TextTaken, which ends the transaction. */
async function setTexts(
  { dialect }: Database,
  sql: Sql,
  name: TextMember,
  texts: readonly { readonly petId: bigint; readonly text: string | null }[],
): Promise<void> {
  const table = TEXT_TABLES[name]
  await sql(`DELETE FROM ${table} WHERE ${dialect.isIn('pet_id', 1)}`, [texts.map(({ petId }) => petId)])
  for (const { petId, text } of texts) {
    if (text === null) continue
    const [[other] = []] = await sql(`SELECT pet_id FROM ${table} WHERE folded = $1`, [indexedOf(text)])
    const insert = `INSERT INTO ${table} (pet_id, ${name}, folded) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`
    const isFree = other === undefined && (await sql(insert, [petId, text, indexedOf(text)])).length > 0
    if (!isFree) throw new TextTaken(name, text, big(other))
  }
}
