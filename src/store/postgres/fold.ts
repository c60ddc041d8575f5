/** The function by which names and labels are compared in PostgreSQL: `pets_fold`, made when it is first needed. */
import { FOLDED_LETTERS } from '../records.ts'
import { StoreUnavailable } from '../store.ts'
import type { Database } from './database.ts'

/** The same as `fold` in ../records.ts. Lower case by Unicode's rules if the server knows them, whatever its locale. */
function foldWith(collation: string): string {
  const plain = `lower(regexp_replace(normalize(name, NFKD), '[\\u0300-\\u036f]', '', 'g')${collation})`
  const folded = FOLDED_LETTERS.reduce((sql, [letter, typed]) => `replace(${sql}, '${letter}', '${typed}')`, plain)
  return `
    CREATE OR REPLACE FUNCTION pets_fold(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT ${folded} $$`
}

/** Makes the function unless it is there. */
export async function makeFold({ patientQuery }: Pick<Database, 'patientQuery'>): Promise<void> {
  const [found] = await patientQuery("SELECT to_regprocedure('pets_fold(text)') IS NOT NULL")
  if (found?.[0] === 't') return
  try {
    await patientQuery(foldWith(' COLLATE "und-x-icu"'))
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    await patientQuery(foldWith(''))
  }
}
