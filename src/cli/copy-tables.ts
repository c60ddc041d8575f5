/** The part of `pets copy` that carries what belongs to the operator: removed animals, the journal, imports, names of categories. */
import { createHash } from 'node:crypto'
import { ARCHIVED_TABLES, type ArchivedTable, type Cells, keyOf } from '../store/archived.ts'
import type { Archive } from '../store/store.ts'
import { CommandFailed } from './options.ts'

/** Copies what is not there yet, and then reads both sides once more. */
export async function copyTables(from: Archive, to: Archive): Promise<void> {
  for (const table of ARCHIVED_TABLES) {
    for await (const rows of allRows(from, table)) await to.putRows(table, rows)
    if ((await digestOf(from, table)) === (await digestOf(to, table))) continue
    throw new CommandFailed(
      `The table ${table.name} is not the same in --from and --to; it was changed after an earlier copy. Copy into an empty database.`,
    )
  }
  await to.giveIdsAfter(await from.lastGivenId())
}

async function digestOf(archive: Archive, table: ArchivedTable): Promise<string> {
  const hash = createHash('sha256')
  for await (const rows of allRows(archive, table)) for (const row of rows) hash.update(`${JSON.stringify(row)}\n`)
  return hash.digest('hex')
}

async function* allRows(archive: Archive, table: ArchivedTable): AsyncIterable<readonly Cells[]> {
  for (let after: Cells | undefined; ; ) {
    const rows = await archive.rows(table, after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = keyOf(table, last)
  }
}
