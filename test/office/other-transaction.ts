/** Another process's transaction on a service's database, on either engine. */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** Without a commit it is rolled back. */
interface OtherTransaction extends AsyncDisposable {
  endSessionsOf(name: string): Promise<void>
  lockSessionsOf(name: string): Promise<void>
  commit(): Promise<void>
}

const OF_PERSON = 'person_n = (SELECT n FROM people WHERE name ='

export async function beginOther(database: string): Promise<OtherTransaction> {
  if (database.startsWith('sqlite:')) {
    const file = new DatabaseSync(database.replace('sqlite:', ''), { timeout: 5_000 })
    file.exec('BEGIN IMMEDIATE')
    return {
      endSessionsOf: async (name) => void file.prepare(`DELETE FROM sessions WHERE ${OF_PERSON} ?)`).run(name),
      async lockSessionsOf() {},
      commit: async () => file.exec('COMMIT'),
      [Symbol.asyncDispose]: async () => file.close(),
    }
  }
  const client = new Client({ connectionString: database })
  client.on('error', () => {}) // of a server that ends with the test
  await client.connect()
  await client.query('BEGIN')
  return {
    endSessionsOf: async (name) => void (await client.query(`DELETE FROM sessions WHERE ${OF_PERSON} $1)`, [name])),
    lockSessionsOf: async (name) =>
      void (await client.query(`SELECT FROM sessions WHERE ${OF_PERSON} $1) FOR UPDATE`, [name])),
    commit: async () => void (await client.query('COMMIT')),
    [Symbol.asyncDispose]: () => client.end(),
  }
}
