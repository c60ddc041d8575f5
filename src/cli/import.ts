/** `pets import`: adds the animals of a file, all or none; or, with --skip-invalid, all but the bad rows, which it names. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Command } from 'commander'
import type { NewPet } from '../contract/schemas.ts'
import { openStore } from '../store/open.ts'
import { type Row, readAnimals } from './animals-file.ts'
import { bodyLimitOption, CommandFailed, databaseOption } from './options.ts'
import { print } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

const ROWS_PER_BATCH = 1_000
/** More problems than this are only counted. */
const PROBLEMS_SHOWN = 20

interface ImportOptions {
  readonly database: string
  readonly bodyLimit: number
  readonly skipInvalid?: true
}

export const importPets = new Command('import')
  .description('Add animals from CSV (header name,categoryId,status) or NDJSON.')
  .argument('<file>', 'a file, or - for standard input')
  .option('--skip-invalid', 'report bad rows and import the others')
  .addOption(bodyLimitOption())
  .addOption(databaseOption())
  .action(async (file: string, options: ImportOptions) => {
    const size = file === '-' ? 0 : await sizeOf(file)
    const store = await openStore(options.database, { serving: false })
    const progress = startProgress('importing', size)
    const problems = new Problems()
    const bytes = file === '-' ? process.stdin : createReadStream(file)
    try {
      const rows = readAnimals(watched(bytes, progress), options.bodyLimit)
      const batches = toBatches(rows, problems, options.skipInvalid ?? false)
      const imported = await store.pets.import(batches).finally(() => {
        progress.stop()
        problems.report()
      })
      const skipped = problems.count > 0 ? `, ${problems.rows()} skipped` : ''
      await print(`${imported} ${imported === 1 ? 'animal' : 'animals'} imported${skipped}.\n`)
    } finally {
      bytes.destroy() // a pipe that is still open would keep the command from ending
      await store.close()
    }
  })

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile()) return found.size
  throw new CommandFailed(`There is no file ${file} that can be read; nothing was imported.`)
}

async function* watched(bytes: AsyncIterable<Buffer>, progress: Progress): AsyncIterable<Buffer> {
  for await (const chunk of bytes) {
    progress.advance(chunk.length)
    yield chunk
  }
}

/** Goes through the whole file even after a bad row, so that all problems are told at once. */
async function* toBatches(
  rows: AsyncIterable<Row>,
  problems: Problems,
  skipInvalid: boolean,
): AsyncIterable<readonly NewPet[]> {
  let batch: NewPet[] = []
  for await (const row of rows) {
    if ('problems' in row) problems.add(row.line, row.problems)
    else batch.push(row.value)
    if (batch.length < ROWS_PER_BATCH) continue
    if (problems.count === 0 || skipInvalid) yield batch
    batch = []
  }
  if (problems.count > 0 && !skipInvalid) {
    throw new CommandFailed(
      `Nothing was imported: ${problems.rows()}. Correct them, or leave them out with --skip-invalid.`,
    )
  }
  yield batch
}

class Problems {
  count = 0
  readonly #shown: string[] = []

  add(line: number, problems: readonly string[]): void {
    this.count += 1
    if (this.#shown.length < PROBLEMS_SHOWN) this.#shown.push(`Line ${line}: ${problems.join('; ')}.`)
  }

  rows(): string {
    return this.count === 1 ? '1 bad row' : `${this.count} bad rows`
  }

  report(): void {
    for (const line of this.#shown) process.stderr.write(`${line}\n`)
    if (this.count > this.#shown.length) process.stderr.write(`… and ${this.count - this.#shown.length} more.\n`)
  }
}
