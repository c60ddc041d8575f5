/** Syncs killed at two hundred moments, a hundred on each engine: all or nothing (test/store/sync/killed.ts). */
import { after, describe, it } from 'node:test'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from '../store/sync/killed.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Databases, postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'

/** Together they take minutes, and on a busy machine more than one test may. */
const POINTS_TOGETHER = 50
const SEEDS = [1_000, 1_050]

describe('a sync that is killed at any of two hundred moments', { concurrency: 2 }, () => {
  let server: Promise<Databases> | undefined
  after(async () => (await server)?.stop())

  for (const seed of SEEDS) {
    it(`has done all or nothing in SQLite, from seed ${seed}`, () =>
      assertWholeOrNothing('sync', `sqlite:${temporaryFolder()}/pets.db`, copiesOfFiles, POINTS_TOGETHER, seed))

    it(`has done all or nothing in PostgreSQL, from seed ${seed}`, postgresNeeded, async () => {
      server ??= sharedPostgres()
      const postgres = await server
      await assertWholeOrNothing('sync', await postgres.createDatabase(), copiesIn(postgres), POINTS_TOGETHER, seed)
    })
  }
})
