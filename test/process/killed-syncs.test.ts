/** Syncs killed at two hundred moments on each engine: all or nothing (test/store/sync/killed.ts). */
import { describe, it } from 'node:test'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from '../store/sync/killed.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { sharedPostgres } from '../support/servers/shared-postgres.ts'

describe('a sync that is killed at any of two hundred moments', { concurrency: 2 }, () => {
  it('has done all or nothing in SQLite', () =>
    assertWholeOrNothing(`sqlite:${temporaryFolder()}/pets.db`, copiesOfFiles, 200, 1_000))

  it('has done all or nothing in PostgreSQL', postgresNeeded, async () => {
    const server = await sharedPostgres()
    try {
      await assertWholeOrNothing(await server.createDatabase(), copiesIn(server), 200, 1_000)
    } finally {
      await server.stop()
    }
  })
})
