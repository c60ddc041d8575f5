/**
 * What a search costs on PostgreSQL, in rows and not in time: a name that many have, and none of the newest, is found
 * by the index of names, whatever the planner takes it for. Walking the ids took over a second in a million animals.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import { systemClock } from '../../../src/common/system-clock.ts'
import { PostgresStore } from '../../../src/store/postgres/store.ts'
import { postgresNeeded } from '../../support/servers/postgres.ts'
import { sharedPostgres } from '../../support/servers/shared-postgres.ts'
import { until } from '../../support/until.ts'

const ANIMALS = 300_000
/** These, the oldest, have another name than the rest. */
const OLD = 30_000
/** The newest names are compared one by one first, in a step of 5,000. */
const MOST_ROWS = 3 * 5_000
/** No machine is so busy that a search takes so long. */
const PATIENT_MS = 600_000

it(
  'a page of a name that a tenth of the animals have is found without a look at the others',
  postgresNeeded,
  async () => {
    const server = await sharedPostgres()
    const url = await server.createDatabase()
    const hand = new Client(url)
    await hand.connect()
    try {
      await withStore(url, async (store) => {
        await hand.query(`INSERT INTO pets (id, name, category_id)
        SELECT n, CASE WHEN n > ${OLD} THEN 'Animal ' ELSE 'Veteran ' END || n, 1 FROM generate_series(1, ${ANIMALS}) n`)
        // Waits for the index, which it makes.
        const { pets } = await store.records.find({ text: 'veteran 27777', status: undefined, limit: 1 })
        assert.equal(pets[0]?.name, 'Veteran 27777')
      })
      for (const kind of ['not known to the planner', 'known to the planner']) {
        if (kind === 'known to the planner') await hand.query('ANALYZE pets')
        const before = await readBy(hand)
        await withStore(url, async (store) => {
          const query = { text: 'veteran', status: undefined, limit: 25, withinMs: PATIENT_MS }
          const { pets, stoppedAt } = await store.records.find(query)
          assert.deepEqual([pets.length, pets[0]?.name, stoppedAt], [25, `Veteran ${OLD}`, undefined])
        })
        // A session tells what it has read when it ends, or soon after.
        await until('the index has been read', async () => (await readBy(hand)).names > before.names)
        const { ids } = await readBy(hand)
        assert(ids - before.ids <= MOST_ROWS, `${ids - before.ids} rows were read by id, the name being ${kind}`)
      }
    } finally {
      await hand.end()
      await server.stop()
    }
  },
)

async function withStore(url: string, work: (store: PostgresStore) => Promise<void>): Promise<void> {
  const store = await PostgresStore.open(url, { serving: false, clock: systemClock })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** The entries read so far of the indexes of ids and of names. */
async function readBy(hand: Client): Promise<{ readonly ids: number; readonly names: number }> {
  await hand.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await hand.query('SELECT indexrelname AS name, idx_tup_read AS n FROM pg_stat_user_indexes')
  const of = (index: string) => Number(rows.find(({ name }) => name === index)?.n)
  return { ids: of('pets_pkey'), names: of('pets_by_name') }
}
