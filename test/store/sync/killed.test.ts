/** What is killed has been done whole or not at all, on both engines. */
import { describe, it } from 'node:test'
import { runs } from '../../support/draws.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../../support/servers/postgres.ts'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from './killed.ts'

for (const [act, what] of [
  ['sync', 'a sync'],
  ['undo', 'an undo of an import'],
] as const) {
  describe(`${what} that is killed has done all or nothing, and the same again completes it,`, () => {
    it('on SQLite', () => assertWholeOrNothing(act, `sqlite:${temporaryFolder()}/pets.db`, copiesOfFiles, runs(3), 7))

    it('on PostgreSQL', postgresNeeded, async () => {
      const server = await sharedPostgres()
      try {
        await assertWholeOrNothing(act, await server.createDatabase(), copiesIn(server), runs(1), 7)
      } finally {
        await server.stop()
      }
    })
  })
}
