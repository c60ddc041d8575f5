/**
 * How names and labels are compared in PostgreSQL: by the function `pets_fold`, which is made when it is first needed.
 */

import { DatabaseError } from 'pg'
import { FOLDED_LETTERS } from '../rules/fold.ts'
import { StoreUnavailable } from '../store.ts'
import type { Database } from './connection/database.ts'
import { lacksPrivilege } from './connection/errors.ts'

/** An expression of SQL for a text as it is compared, given an expression for the text. */
export type Fold = (text: string) => string

const byFunction: Fold = (text) => `pets_fold(${text})`

/**
 * The same as `fold` in ../rules/fold.ts. Lower case by Unicode's rules if the server knows them, whatever its locale.
 */
function spelledOut(collation: string): Fold {
  return (text) => {
    const plain = `lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g')${collation})`
    return FOLDED_LETTERS.reduce((sql, [letter, typed]) => `replace(${sql}, '${letter}', '${typed}')`, plain)
  }
}

/** The same for where very many texts are compared: most are in ASCII, for which lower case is all there is to do. */
export function foldQuickly(fold: Fold): Fold {
  return (text) =>
    `CASE WHEN octet_length(${text}) = char_length(${text}) THEN lower(${text} COLLATE "C") ELSE ${fold(text)} COLLATE "C" END`
}

/** Makes the function unless it is there. For a user who may not, the whole expression takes its place. */
export async function makeFold({ patientQuery }: Pick<Database, 'patientQuery'>): Promise<Fold> {
  const isThere = async () =>
    (await patientQuery("SELECT to_regprocedure('pets_fold(text)') IS NOT NULL"))[0]?.[0] === 't'
  if (await isThere()) return byFunction
  const [icu] = await patientQuery("SELECT FROM pg_collation WHERE collname = 'und-x-icu'")
  const fold = spelledOut(icu === undefined ? '' : ' COLLATE "und-x-icu"')
  try {
    await patientQuery(`
      CREATE OR REPLACE FUNCTION pets_fold(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      AS $$ SELECT ${fold('name')} $$`)
  } catch (error) {
    if (lacksPrivilege(error)) return fold
    // Another process may have made it at the same moment.
    if (error instanceof StoreUnavailable || !(error instanceof DatabaseError) || !(await isThere())) throw error
  }
  return byFunction
}
