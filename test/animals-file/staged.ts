/** The rows of a file that count, as the store takes them: the newest about each animal that is there. */
import { join } from 'node:path'
import type { AnimalsFile } from '../../src/animals-file/read.ts'
import { systemClock } from '../../src/common/system-clock.ts'
import { openStore } from '../../src/store/open.ts'
import { FileDatabase } from '../../src/store/sqlite/file/file-database.ts'
import { fileId } from '../../src/store/sqlite/file/wal.ts'
import { STAGING_TABLES, stage } from '../../src/store/staging.ts'
import { memoryFolder } from '../support/folder.ts'

const path = join(memoryFolder(), 'pets.db')
await (await openStore(`sqlite:${path}`, { serving: false, clock: systemClock })).close()
const database = new FileDatabase({ path, clock: systemClock, fileId: fileId(path), isServing: false })

export function stagedRows(file: AnimalsFile) {
  return database.bulk(STAGING_TABLES, async (sql) => {
    file.accept({ file: await stage(database, sql, file.batches()) })
    const rows = await sql('SELECT reference, name, category_id, status FROM file_rows ORDER BY place')
    return rows.map(([reference, name, categoryId, status]) => ({
      ...{ reference: String(reference ?? ''), name: String(name), categoryId: BigInt(categoryId ?? 0) },
      status: status === null ? 'none' : String(status),
    }))
  })
}
