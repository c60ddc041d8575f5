/** Migrates the tables of a PostgreSQL database, while any number of other processes may try the same. */
import { StoreUnusable } from '../store.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migrated } from './query.ts'

/** Throws StoreUnusable if this version cannot use the database. */
export async function migrate(database: Migrated): Promise<void> {
  if ((await versionOf(database)) === MIGRATIONS.length) return
  await createVersionTable(database)
  // The row in pets_schema is the lock: others wait for it, and it is released if the process dies.
  await database.transaction('BEGIN', async (query) => {
    const [row] = await query('SELECT version FROM pets_schema FOR UPDATE')
    const version = Number(row?.[0])
    for (const migration of MIGRATIONS.slice(version)) await query(migration)
    if (version < MIGRATIONS.length) await query('UPDATE pets_schema SET version = $1', [MIGRATIONS.length])
  })
}

/** Undefined in a database without our tables. */
async function versionOf({ patientQuery }: Pick<Migrated, 'patientQuery'>): Promise<number | undefined> {
  const [found] = await patientQuery("SELECT to_regclass('pets_schema') IS NOT NULL, to_regclass('pets') IS NOT NULL")
  const [ours, pets] = found ?? []
  if (ours === 'f') {
    if (pets === 't') {
      throw new StoreUnusable(
        'The database holds a table `pets` of some other program; name another database with --database.',
      )
    }
    return undefined
  }
  const [row] = await patientQuery('SELECT version FROM pets_schema')
  const version = row === undefined ? undefined : Number(row[0])
  if (version !== undefined && version > MIGRATIONS.length) {
    throw new StoreUnusable(
      `The database was written by a newer version of this software (schema ${version}, this one knows ${MIGRATIONS.length}); update the software.`,
    )
  }
  return version
}

async function createVersionTable({ patientQuery }: Pick<Migrated, 'patientQuery'>): Promise<void> {
  try {
    await patientQuery(
      'CREATE TABLE IF NOT EXISTS pets_schema (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version int NOT NULL)',
    )
  } catch (error) {
    // Another process created the same table at the same moment: its table will do.
    const created = await patientQuery("SELECT to_regclass('pets_schema') IS NOT NULL")
    if (created[0]?.[0] !== 't') throw error
  }
  await patientQuery('INSERT INTO pets_schema (version) VALUES (0) ON CONFLICT DO NOTHING')
}
