/** What is killed has been done whole or not at all, on both engines. */
import { describe, it } from 'node:test'
import { runs } from '../../support/draws.ts'
import { newDatabase } from '../../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../../support/servers/postgres.ts'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from './killed.ts'

describe('a killed sync has been done whole or not at all, and a second run completes it:', () => {
  for (const [act, title] of [
    ['sync', 'a sync'],
    ['undo', 'an undo of an import'],
  ] as const) {
    it(`${title} on SQLite`, () => assertWholeOrNothing(act, newDatabase(), copiesOfFiles, runs(3), 7))

    it(`${title} on PostgreSQL`, postgresNeeded, async () => {
      const server = await sharedPostgres()
      try {
        await assertWholeOrNothing(
          act,
          await server.createDatabase(),
          copiesIn(server),
          runs(act === 'sync' ? 1 : 2),
          7,
        )
      } finally {
        await server.stop()
      }
    })
  }
})
