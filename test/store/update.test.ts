/**
 * From 1.0.0 to this version, on the real process: a database as 1.0.0 left it is served with everything in it, and what a
 * version says of a database that a later one has opened (deploy/README.md). Each version has the same code for the latter.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { hashSecret, makeSecret } from '../../src/domain/keys.ts'
import { MIGRATIONS as POSTGRES_STEPS } from '../../src/store/postgres/migrations.ts'
import { APPLICATION_ID } from '../../src/store/sqlite/migrate.ts'
import { MIGRATIONS as SQLITE_STEPS } from '../../src/store/sqlite/migrations.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, startPostgres } from '../support/postgres.ts'
import { pets, type RunningService, startService } from '../support/service.ts'

/** How many steps 1.0.0 knew. A released step never changes, so these are still its own. */
const OF_1_0_0 = { sqlite: 2, postgres: 1 }
const KEY = makeSecret(randomBytes)
/** The rows of a database that is in use. */
const ROWS = `
  INSERT INTO pets (name, category_id, status) VALUES ('Luna', 7, 'sold');
  INSERT INTO keys (id, hash, lineage, plan, per_minute, per_day, label, created_at_ms)
    VALUES ('key_000000000001', '${hashSecret(KEY)}', 'key_000000000001', 'free', 60, 1000, 'of 1.0.0', 1795000000000);`

/** Serves what a database of 1.0.0 holds: one animal and one key. */
async function assertServed(service: RunningService): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const url = `${service.baseUrl}/pets`
  const listed = await fetch(url, { headers })
  assert.equal(listed.status, 200, await listed.clone().text())
  assert.deepEqual(await listed.json(), [{ id: 1, name: 'Luna', categoryId: 7, status: 'sold' }])
  const made = await fetch(url, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' })
  assert.deepEqual([made.status, await made.json()], [201, { id: 2, name: 'Rex', categoryId: 1 }])
}

/** The service refuses a database of a later version, in one sentence, and exits 1. */
async function assertRefused(database: string, later: number): Promise<void> {
  for (const command of [['serve', '--port', '0'], ['keys', 'list'], ['export']]) {
    const { code, stderr } = await pets([...command, '--database', database])
    assert.equal(code, 1, stderr)
    assert.match(
      stderr,
      new RegExp(`written by a newer version of this software \\(schema ${later}, .*update the software`),
    )
  }
}

describe('a SQLite file of 1.0.0', () => {
  const path = `${temporaryFolder()}/pets.db`
  const database = `sqlite:${path}`
  const version = () => {
    using file = new DatabaseSync(path)
    return Number(file.prepare('PRAGMA user_version').get()?.user_version)
  }

  it('is served with everything in it, and is of this version from then on', async () => {
    {
      using file = new DatabaseSync(path)
      file.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}`)
      for (const step of SQLITE_STEPS.slice(0, OF_1_0_0.sqlite)) file.exec(step)
      file.exec(`${ROWS} UPDATE pet_counts SET n = 1 WHERE status = 'sold'; PRAGMA user_version = ${OF_1_0_0.sqlite}`)
    }
    await using service = await startService({ database })
    await assertServed(service)
    assert.match((await pets(['keys', 'list', '--database', database])).stdout, /of 1\.0\.0/)
    assert(version() > OF_1_0_0.sqlite, 'so 1.0.0 refuses it')
  })

  it('is refused, and left as it is, by a version that knows fewer steps', async () => {
    const later = SQLITE_STEPS.length + 1
    {
      using file = new DatabaseSync(path)
      file.exec(`PRAGMA user_version = ${later}`)
    }
    await assertRefused(database, later)
    assert.equal(version(), later)
  })
})

describe('a PostgreSQL database of 1.0.0', postgresNeeded, () => {
  it('is served with everything in it, and refused by a version that knows fewer steps', async () => {
    const postgres = await startPostgres()
    const database = await postgres.createDatabase()
    const client = new pg.Client({ connectionString: database })
    try {
      await client.connect()
      await client.query(
        'CREATE TABLE pets_schema (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version int NOT NULL)',
      )
      await client.query(`INSERT INTO pets_schema (version) VALUES (${OF_1_0_0.postgres})`)
      for (const step of POSTGRES_STEPS.slice(0, OF_1_0_0.postgres)) await client.query(step)
      await client.query(ROWS)
      {
        await using service = await startService({ database })
        await assertServed(service)
      }
      const { rows } = await client.query<{ version: number }>('SELECT version FROM pets_schema')
      assert.deepEqual(rows, [{ version: POSTGRES_STEPS.length }])
      await client.query(`UPDATE pets_schema SET version = ${POSTGRES_STEPS.length + 1}`)
      await assertRefused(database, POSTGRES_STEPS.length + 1)
    } finally {
      await client.end()
      await postgres.stop()
    }
  })
})
