/**
 * The references of animals: their ids in another system, which no two have, removed ones included. A sync notes them
 * (./sync.ts), and people type and correct them (./records.ts).
 */
import { fold } from '../common/fold.ts'
import { big, type Database, type Sql, text } from './sql.ts'

export interface PetReference {
  readonly petId: bigint
  /** Null takes it away. */
  readonly reference: string | null
}

/** Another animal has the reference. */
export class ReferenceTaken extends Error {
  override readonly name = 'ReferenceTaken'

  constructor(reference: string, petId: bigint) {
    super(`the reference ${reference} is that of animal ${petId}`)
  }
}

/** Of those of these animals that have one. */
export async function referencesOf(
  { dialect }: Database,
  sql: Sql,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await sql(`SELECT pet_id, reference FROM pet_references WHERE ${dialect.isIn('pet_id', 1)}`, [ids])
  return new Map(rows.map(([id, reference]) => [big(id), text(reference)]))
}

/** In the transaction of the animals' entries. Throws ReferenceTaken, which ends it. */
export async function setReferences(
  { dialect }: Database,
  sql: Sql,
  references: readonly PetReference[],
): Promise<void> {
  const ids = references.map(({ petId }) => petId)
  await sql(`DELETE FROM pet_references WHERE ${dialect.isIn('pet_id', 1)}`, [ids])
  for (const { petId, reference } of references) {
    if (reference === null) continue
    const insert = 'INSERT INTO pet_references VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1'
    if ((await sql(insert, [petId, reference, fold(reference)])).length > 0) continue
    const [[other] = []] = await sql('SELECT pet_id FROM pet_references WHERE folded = $1', [fold(reference)])
    throw new ReferenceTaken(reference, big(other))
  }
}
