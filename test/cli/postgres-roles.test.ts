/** Commands of a PostgreSQL user who lacks a right do what they can, and refuse the rest in one sentence. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { openStore, serverIdentity } from '../../src/store/open.ts'
import { assertRefused, commandsOn, pets } from '../support/commands/commands.ts'
import { type Databases, postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { batchesOf, keyOf, PLAIN_IMPORT } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

/** `1` is an animal, `2` a removed one, `k` a key. An export writes its journal entry. */
const WRITING = `
  keys create --plan free
  keys revoke k
  keys rotate k
  people invite Ann --role staff
  import -
  import - --with-ids
  export
  imports undo 1
  set-status sold 1
  remove 1
  restore-animal 2
  categories set 7 Dogs`

describe('a PostgreSQL user', { concurrency: false, ...postgresNeeded }, () => {
  let server: Databases
  let url: string
  const as = (user: string) => url.replace(/\/\/[^@]*@/, `//${user}@`)

  before(async () => {
    server = await sharedPostgres()
    url = await server.createDatabase()
    const store = await openStore(url, { serving: false, clock: patientClock })
    const { by } = PLAIN_IMPORT
    const animals = ['Søren', 'Luna'].map((name) => ({ name, categoryId: 7n }))
    await store.imports.add(batchesOf(animals), PLAIN_IMPORT)
    await store.records.remove([2n], by)
    await store.keys.add(keyOf({ id: 'k', label: 'Zoë' }), 'hash', by)
    await store.close()
    const database = new URL(url).pathname.slice(1)
    const admin = new Client(as('admin'))
    await admin.connect()
    await admin.query(`
      CREATE ROLE clerk LOGIN;
      CREATE ROLE reader LOGIN;
      CREATE ROLE stranger LOGIN;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk;
      GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO clerk;
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
      REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC;
      REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC;
      GRANT TEMPORARY ON DATABASE ${database} TO clerk`)
    await admin.end()
  })
  after(() => server.stop())

  it('without the right to create finds animals and keys, ignoring case and accents', async () => {
    for (const user of ['clerk', 'reader']) {
      const found = await pets(['find', 'SOREN', '--json', '--database', as(user)])
      assert.deepEqual(found, { code: 0, stdout: '{"id":1,"name":"Søren","categoryId":7}\n', stderr: '' })
      const store = await openStore(as(user), { serving: false, clock: patientClock })
      const search = { text: 'zoe', order: 'newest' as const, offset: 0, limit: 10 }
      assert.equal((await store.keys.search(search)).found, 1)
      await store.close()
    }
  })

  it('with the rights of the guide can import, with ids too', async () => {
    const input = '{"id":10,"name":"Rex","categoryId":1}\n'
    const { add, done } = commandsOn(as('clerk'))
    assert.match((await add(input, '--with-ids')).stdout, /^1 animal/)
    assert.match(await done('imports', 'undo', '2'), /: 1 animal removed/)
  })

  it('with only read access is refused each change in one sentence', async () => {
    const input = '{"id":9,"name":"Rex","categoryId":1}\n'
    for (const command of WRITING.trim().split(/\n +/)) {
      assertRefused(
        await pets([...command.split(' '), '--database', as('reader')], { input }),
        /(?:^|\. )The database cannot be used: the user lacks a privilege \(permission denied .+\); grant it to the user/m,
      )
    }
    assert.equal((await pets(['export', '--database', url])).stdout, '{"id":1,"name":"Søren","categoryId":7}\n')
  })

  it('whom the server does not tell which one it is can serve it, and know it by its database', async () => {
    for (const [user, identity] of [
      ['clerk', /^unknown \d+$/],
      ['admin', /^\d{10,} \d+$/],
    ] as const) {
      const store = await openStore(as(user), { serving: true, clock: patientClock })
      assert.match(await store.identity(), identity)
      assert.equal(await serverIdentity(as(user)), await store.identity())
      await store.close()
    }
  })

  it('without any right gets a sentence', async () => {
    const sentence = /^The database cannot be used: the user lacks a privilege .+\n$/
    await commandsOn(as('stranger')).refused(sentence, 'find', 'Luna')
  })
})
