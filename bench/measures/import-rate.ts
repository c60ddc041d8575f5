/** Bulk import: the whole command, its start included, from a CSV file into a new database, on all cores. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeCsv } from '../animals.ts'
import type { Engine } from '../target.ts'

export const IMPORT_ROWS = [100_000, 1_000_000]

export interface ImportRate {
  readonly rows: number
  readonly samplesSeconds: number[]
}

export async function measureImport(engine: Engine, runs: number, workFolder: string): Promise<ImportRate[]> {
  const results: ImportRate[] = []
  for (const rows of IMPORT_ROWS) {
    const csv = join(workFolder, `${rows}.csv`)
    await writeCsv(csv, rows)
    const samplesSeconds: number[] = []
    for (let run = 0; run < runs; run++) samplesSeconds.push(await engine.importSeconds(csv))
    await rm(csv)
    results.push({ rows, samplesSeconds })
  }
  return results
}
