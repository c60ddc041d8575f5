/** A sync that is killed has done all or nothing, on both engines; test/process/killed-syncs.test.ts kills many. */
import { it } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { postgresNeeded } from '../../support/servers/postgres.ts'
import { sharedPostgres } from '../../support/servers/shared-postgres.ts'
import { assertWholeOrNothing, copiesIn, copiesOfFiles } from './killed.ts'

it('a sync of SQLite that is killed has done all or nothing, and the same list completes it', () =>
  assertWholeOrNothing(`sqlite:${temporaryFolder()}/pets.db`, copiesOfFiles, 3, 7))

it(
  'a sync of PostgreSQL that is killed has done all or nothing, and the same list completes it',
  postgresNeeded,
  async () => {
    const server = await sharedPostgres()
    try {
      await assertWholeOrNothing(await server.createDatabase(), copiesIn(server), 1, 7)
    } finally {
      await server.stop()
    }
  },
)
