/** Files of animals, and the rows of them that count, as the store takes them: the newest about each animal that is there. */
import { join } from 'node:path'
import { Categories } from '../../src/animals-file/categories.ts'
import type { AnimalsFile } from '../../src/animals-file/read.ts'
import { INT64_MAX } from '../../src/contract/int64.ts'
import { openStore } from '../../src/store/open.ts'
import { FileDatabase } from '../../src/store/sqlite/file/file-database.ts'
import { fileId } from '../../src/store/sqlite/file/wal.ts'
import { STAGING_TABLES, stage } from '../../src/store/staging.ts'
import { memoryFolder } from '../support/folder.ts'
import { patientClock } from '../support/time/clock.ts'

const path = join(memoryFolder(), 'pets.db')
await (await openStore(`sqlite:${path}`, { serving: false, clock: patientClock })).close()
const database = new FileDatabase({ path, clock: patientClock, fileId: fileId(path), isServing: false })

/** The bytes of a file, in pieces of this size. */
export async function* pieces(bytes: Buffer, size = Infinity): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, Math.min(bytes.length, at + size))
}

/** Every name becomes a category. */
export const anyCategories = () => new Categories(new Map(), { gaps: [{ low: 0n, high: INT64_MAX }] })

export function stagedRows(file: AnimalsFile) {
  return database.bulk(STAGING_TABLES, async (sql) => {
    file.accept({ file: await stage(database, sql, file.batches()) })
    const rows = await sql('SELECT reference, name, category_id, status FROM file_rows ORDER BY place')
    return rows.map(([reference, name, categoryId, status]) => ({
      reference: String(reference ?? ''),
      name: String(name),
      categoryId: BigInt(categoryId ?? 0),
      status: status === null ? 'none' : String(status),
    }))
  })
}
