/**
 * `pets import`: adds the animals of a file, all or none; with --skip-invalid, all except invalid rows, which it
 * reports.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { BadRows, FileImport } from '../../../animals-file/import.ts'
import { BadMapping, type Mapping, NO_MAPPING, readMapping } from '../../../animals-file/mapping.ts'
import { AnimalsFile } from '../../../animals-file/read.ts'
import { printable } from '../../../common/printable.ts'
import type { ImportedPet, ImportOutcome } from '../../../store/imports.ts'
import { TAKEN_SHOWN } from '../../../store/rules/bounds.ts'
import { examples } from '../../examples.ts'
import { bodyLimitOption, CommandFailed, databaseOption } from '../../options.ts'
import { hint, note, print } from '../../output.ts'
import { type Progress, startProgress } from '../../progress.ts'
import { author, createOption, withNewStore } from '../../store.ts'
import { animals as count } from './animal.ts'

/** Worth a progress bar: some 200,000 animals, a second or more. */
const LARGE_BYTES = 4 << 20

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
  .addHelpText(
    'after',
    examples(
      'pets import animals.csv --dry-run',
      "pets import animals.csv --map 'name=Animal Name,status:adopted=sold'",
      'zcat animals.ndjson.gz | pets import -',
    ),
  )
  .argument('<file>', 'a file, or - for standard input')
  .option('--skip-invalid', 'report bad rows and import the others')
  .option(
    '--map <rules>',
    'columns and values of other systems: name=Animal Name,status:adopted=sold',
    mappingOf,
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
    if (size >= LARGE_BYTES) leaveCores()
    const progress = startProgress('importing', size)
    const bytes = file === '-' ? process.stdin : createReadStream(file)
    const reading = new FileImport(
      new AnimalsFile(watched(bytes, progress), { rowLimit: options.bodyLimit, withIds, mapping: options.map }),
      { skipInvalid: options.skipInvalid ?? false },
    )
    try {
      const outcome = await withNewStore(options, command, ({ imports }) =>
        imports
          .add(reading.batches(), { by: author(), source: basename(file), withIds, allowDuplicates, dryRun })
          .finally(progress.stop),
      ).finally(() => {
        if (reading.understood !== undefined) hint(`${reading.understood}\n`)
        report(reading)
      })
      if (dryRun) await print(reading.preview.map((pet) => `${toLine(pet)}\n`).join(''))
      await print(tell(outcome, options, reading))
    } catch (error) {
      if (!(error instanceof BadRows)) throw error
      throw new CommandFailed(
        `Nothing was imported: ${badRows(reading)}. Correct them, or leave them out with --skip-invalid.`,
      )
    } finally {
      bytes.destroy() // an open pipe would keep the command from ending
    }
  })

/** Describes the outcome. Throws CommandFailed if animals should have been imported and none was. */
function tell(
  { n, animals, duplicates, taken }: ImportOutcome,
  { dryRun }: ImportOptions,
  reading: FileImport,
): string {
  const skipped = reading.badRows > 0 ? `, ${badRows(reading)} skipped` : ''
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
  if (n !== undefined) hint(`\`pets imports undo ${n}\` undoes this import.\n`)
  return `${count(animals)} imported${skipped}.\n`
}

function toLine({ id, name, categoryId, status }: ImportedPet): string {
  return [...(id === undefined ? [] : [id]), printable(name), categoryId, status ?? '-'].join('  ')
}

/**
 * Lowers the priority, so that a service on the same cores keeps more of its rate. Costs nothing where a core is free.
 */
function leaveCores(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // some sandboxes forbid it
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

/** The rules of `--map`. Throws InvalidArgumentError. */
function mappingOf(text: string, before: Mapping): Mapping {
  try {
    return readMapping(text, before)
  } catch (error) {
    throw error instanceof BadMapping ? new InvalidArgumentError(error.message) : error
  }
}

function badRows({ badRows }: FileImport): string {
  return badRows === 1 ? '1 bad row' : `${badRows} bad rows`
}

function report({ problems, badRows }: FileImport): void {
  for (const { line, text } of problems) note(`Line ${line}: ${text}.\n`)
  if (badRows > problems.length) note(`… and ${badRows - problems.length} more.\n`)
}
