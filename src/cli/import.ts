/**
 * `pets import`: adds the animals of a file, all or none; with --skip-invalid, all except invalid rows, which it
 * reports.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import { printable } from '../common/printable.ts'
import { type ImportedPet, type ImportOutcome, TAKEN_SHOWN } from '../store/imports.ts'
import { animals as count } from './animal.ts'
import { type Mapping, NO_MAPPING, readMapping } from './animals-file/mapping.ts'
import { AnimalsFile } from './animals-file/read.ts'
import type { Row } from './animals-file/row.ts'
import { bodyLimitOption, CommandFailed, databaseOption } from './options.ts'
import { print } from './output.ts'
import { type Progress, startProgress } from './progress.ts'
import { author, createOption, withNewStore } from './store.ts'

const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
/** A dry run shows this many animals. */
const PREVIEWED = 10

interface ImportOptions {
  readonly database: string
  readonly create?: true
  readonly bodyLimit: number
  readonly skipInvalid?: true
  readonly dryRun?: true
  readonly withIds?: true
  readonly allowDuplicates?: true
  readonly map: Mapping
}

export const importPets = new Command('import')
  .description('Add animals from CSV (header name,categoryId,status) or NDJSON.')
  .argument('<file>', 'a file, or - for standard input')
  .option('--skip-invalid', 'report bad rows and import the others')
  .option(
    '--map <rules>',
    'columns and values of other systems: name=Animal Name,status:adopted=sold',
    readMapping,
    NO_MAPPING,
  )
  .option('--dry-run', 'show what would happen, and import nothing')
  .option('--with-ids', 'keep the ids of an export; none of them may be taken')
  .option('--allow-duplicates', 'import animals whose name and category are here already')
  .addOption(bodyLimitOption())
  .addOption(databaseOption())
  .addOption(createOption())
  .action(async (file: string, options: ImportOptions, command: Command) => {
    const { dryRun = false, withIds = false, allowDuplicates = false } = options
    const size = file === '-' ? 0 : await sizeOf(file)
    const progress = startProgress('importing', size)
    const problems = new Problems()
    const preview: ImportedPet[] = []
    const bytes = file === '-' ? process.stdin : createReadStream(file)
    const animals = new AnimalsFile(watched(bytes, progress), {
      rowLimit: options.bodyLimit,
      withIds,
      mapping: options.map,
    })
    try {
      const batches = previewed(toBatches(animals.rows(), problems, options.skipInvalid ?? false), preview)
      const outcome = await withNewStore(options, command, ({ imports }) =>
        imports
          .add(batches, { by: author(), source: basename(file), withIds, allowDuplicates, dryRun })
          .finally(progress.stop),
      ).finally(() => {
        if (animals.understood !== undefined) process.stderr.write(`${animals.understood}\n`)
        problems.report()
      })
      if (dryRun) await print(preview.map((pet) => `${describePet(pet)}\n`).join(''))
      await print(tell(outcome, options, problems))
    } finally {
      bytes.destroy() // an open pipe would keep the command from ending
    }
  })

/** The outcome in a sentence or two. Throws CommandFailed if nothing was imported although it should have been. */
function tell({ n, animals, duplicates, taken }: ImportOutcome, { dryRun }: ImportOptions, problems: Problems): string {
  const skipped = problems.count > 0 ? `, ${problems.rows()} skipped` : ''
  if (taken.length > 0) {
    const message = `These ids are taken or appear twice: ${taken.join(', ')}${taken.length === TAKEN_SHOWN ? ', …' : ''}; nothing was imported.`
    throw new CommandFailed(message)
  }
  if (duplicates > 0) {
    const message = `${duplicates} of ${animals} look like animals that are already here; nothing was imported. --allow-duplicates imports them all the same.`
    if (!dryRun) throw new CommandFailed(message)
    return `${message}\n`
  }
  if (dryRun) return `${count(animals)} would be imported${skipped}; nothing was imported.\n`
  if (n !== undefined) process.stderr.write(`\`pets imports undo ${n}\` undoes this import.\n`)
  return `${count(animals)} imported${skipped}.\n`
}

function describePet({ id, name, categoryId, status }: ImportedPet): string {
  return [...(id === undefined ? [] : [id]), printable(name), categoryId, status ?? '-'].join('  ')
}

/** Copies the first animals into `into`. */
async function* previewed(
  batches: AsyncIterable<readonly ImportedPet[]>,
  into: ImportedPet[],
): AsyncIterable<readonly ImportedPet[]> {
  for await (const batch of batches) {
    into.push(...batch.slice(0, PREVIEWED - into.length))
    yield batch
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile()) return found.size
  throw new CommandFailed(`The file ${file} does not exist or cannot be read; nothing was imported.`)
}

async function* watched(bytes: AsyncIterable<Buffer>, progress: Progress): AsyncIterable<Buffer> {
  for await (const chunk of bytes) {
    progress.advance(chunk.length)
    yield chunk
  }
}

/** Reads the whole file even after an invalid row, so that all problems are reported in one run. */
async function* toBatches(
  rows: AsyncIterable<Row>,
  problems: Problems,
  skipInvalid: boolean,
): AsyncIterable<readonly ImportedPet[]> {
  let batch: ImportedPet[] = []
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
