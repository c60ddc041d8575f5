/** What is killed has been done whole or not at all, on both engines. */
import { describe, it } from 'node:test'
import { runs } from '../../support/draws.ts'
import { newDatabase } from '../../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../../support/servers/postgres.ts'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from './killed.ts'

describe('what is killed has been done whole or not at all, and the same again completes it:', () => {
  it('a sync on SQLite', () => assertWholeOrNothing('sync', newDatabase(), copiesOfFiles, runs(3), 7))

  it('an undo of an import on SQLite', () => assertWholeOrNothing('undo', newDatabase(), copiesOfFiles, runs(3), 7))

  it('a sync on PostgreSQL', postgresNeeded, async () => {
    const server = await sharedPostgres()
    try {
      await assertWholeOrNothing('sync', await server.createDatabase(), copiesIn(server), runs(1), 7)
    } finally {
      await server.stop()
    }
  })
})
