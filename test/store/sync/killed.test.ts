/** A sync that is killed has been done whole or not at all, on both engines. */
import { describe, it } from 'node:test'
import { runs } from '../../support/draws.ts'
import { newDatabase } from '../../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../../support/servers/postgres.ts'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from './killed.ts'

describe('a sync that is killed has done all or nothing, and the same again completes it,', () => {
  it('on SQLite', () => assertWholeOrNothing(newDatabase(), copiesOfFiles, runs(3), 7))

  it('on PostgreSQL', postgresNeeded, async () => {
    const server = await sharedPostgres()
    try {
      await assertWholeOrNothing(await server.createDatabase(), copiesIn(server), runs(1), 7)
    } finally {
      await server.stop()
    }
  })
})
