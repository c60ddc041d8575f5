/** Databases of version 2.1, the earliest that this version opens, with the data of test/store/from-2.1. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { APPLICATION_ID, MIGRATIONS } from '../../src/store/sqlite/file/migrations.ts'

const FOLDER = resolve(import.meta.dirname, 'from-2.1')
const DATA: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = JSON.parse(
  readFileSync(`${FOLDER}/data.json`, 'utf8'),
)
/** What a new file has already, and those that only files have. */
const PRESENT = ['pet_counts', 'changes', 'identity', 'shelter']
const ONLY_IN_FILES = ['pet_counts', 'changes', 'identity']

export const EARLIER_VERSION = 23

/** A key of the data, whose hash the database has. */
export const EARLIER_KEY = 'pets_KP2q40xoqTgWy4csQST-ggWul7poIEhFI9TmjQfirmFC89cd'

export function openEarlier(path: string): DatabaseSync {
  const file = new DatabaseSync(path)
  file.exec(
    `PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${EARLIER_VERSION}`,
  )
  for (const { to, sql } of MIGRATIONS) if (to <= EARLIER_VERSION) file.exec(sql)
  return file
}

export function makeEarlierFile(path: string): void {
  using file = openEarlier(path)
  for (const [table, rows] of inOrder()) {
    if (PRESENT.includes(table)) file.exec(`DELETE FROM ${table}`)
    for (const row of rows) {
      const marks = Object.keys(row).map(() => '?')
      file.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${marks})`).run(...Object.values(row))
    }
  }
}

/** Makes the tables of 2.1 in a PostgreSQL database, in the place of all others. */
export async function fillEarlierDatabase(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await client.query(readFileSync(`${FOLDER}/postgres.sql`, 'utf8'))
    await client.query('DELETE FROM shelter')
    for (const [table, rows] of inOrder()) {
      for (const row of ONLY_IN_FILES.includes(table) ? [] : rows) {
        const marks = Object.keys(row).map((_, n) => `$${n + 1}`)
        const values = Object.values(row).map((value) => (value === '[]' ? '{}' : value))
        await client.query(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${marks})`, values)
      }
    }
    for (const [sequence, table, column] of [
      ['pet_ids', 'pets', 'id'],
      ['journal_n_seq', 'journal', 'n'],
      ['imports_n_seq', 'imports', 'n'],
      ['people_n_seq', 'people', 'n'],
    ]) {
      await client.query(`SELECT setval('${sequence}', (SELECT max(${column}) FROM ${table}))`)
    }
  } finally {
    await client.end()
  }
}

/** Tables that triggers write come last. */
function inOrder() {
  return Object.entries(DATA).toSorted(([a], [b]) => Number(PRESENT.includes(a)) - Number(PRESENT.includes(b)))
}

export function schemaOf(path: string): unknown {
  using file = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  return file.prepare('PRAGMA user_version').get()?.user_version
}
