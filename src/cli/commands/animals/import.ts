/**
 * `pets import`: adds the animals of a file, all or none; with --skip-invalid, all except invalid rows, which it
 * reports.
 */
import { READ_FORMATS_TEXT } from '../../../animals-file/formats.ts'
import type { AnimalsFile } from '../../../animals-file/read.ts'
import { printable } from '../../../common/printable.ts'
import { duplicatesText, importedText } from '../../../domain/file-outcome.ts'
import { TAKEN_SHOWN } from '../../../rules/bounds.ts'
import type { ImportOutcome } from '../../../store/imports.ts'
import type { StagedFile } from '../../../store/staging.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { bodyLimitOption, CommandFailed } from '../../options.ts'
import { CATEGORY, MAP, readAnimals, WRITE_MAP } from './file.ts'

export const importPets = command({
  about: `Add animals from a list with a heading (name,categoryId,status), as ${READ_FORMATS_TEXT}.`,
  examples: [
    'pets import animals.csv --dry-run',
    'pets import animals.csv --new-categories',
    "pets import animals.csv --map 'name=Animal Name,status:adopted=sold'",
    'pets import animals.csv --map @rescuegroups',
    'zcat animals.ndjson.gz | pets import -',
  ],
  takes: (command) =>
    command
      .argument('<file>', 'a file, or - for standard input')
      .option('--skip-invalid', 'report bad rows and import the others')
      .addOption(MAP)
      .addOption(CATEGORY)
      .addOption(WRITE_MAP)
      .option('--new-categories', 'give names of categories that are not there a number each')
      .option('--dry-run', 'show what would happen, and import nothing')
      .option('--with-ids', 'keep the ids of an export; none of them may be taken')
      .option('--allow-duplicates', 'import animals whose name and category are here already')
      .addOption(bodyLimitOption()),
  creates: true,
  action(run, file, options) {
    const { cli } = run
    const { dryRun = false, withIds = false, allowDuplicates = false, skipInvalid = false } = options
    const by = { who: cli.author().who }
    return readAnimals(run, file, options, {
      how: { withIds, skipInvalid },
      run: ({ imports }, reading, source) =>
        imports.add(reading.batches(), { by, source, withIds, allowDuplicates, dryRun }),
      async tell(outcome, reading) {
        const { reference } = reading.facts
        if (reference !== undefined && !withIds) {
          const again = printable(`"${reference}"`)
          cli.hint(`\`pets sync\` knows them again by ${again}, and keeps them as the next list has them.\n`)
        }
        if (dryRun) await cli.print(outcome.file.first.map((pet) => `${toLine(pet)}\n`).join(''))
        await cli.print(describe(cli, outcome, dryRun, reading))
      },
    })
  },
})

/** Describes the outcome. Throws CommandFailed if animals should have been imported and none was. */
function describe(
  cli: Cli,
  { n, file, duplicates, takenIds }: ImportOutcome,
  dryRun: boolean,
  reading: AnimalsFile,
): string {
  const { rows: animals, newCategories } = file
  const summary = (done: string) => importedText({ animals, badRows: reading.badRows }, { done })
  if (takenIds.length > 0) {
    const message = `These ids are taken or appear twice: ${takenIds.join(', ')}${takenIds.length === TAKEN_SHOWN ? ', …' : ''}; nothing was imported.`
    throw new CommandFailed(message)
  }
  if (duplicates > 0) {
    const message = `${duplicatesText(duplicates, animals)}. --allow-duplicates imports them all the same.`
    if (!dryRun) throw new CommandFailed(message)
    return `${message}\n`
  }
  const names = [...newCategories].map(([id, label]) => `${id} ${printable(label)}`).join(', ')
  if (dryRun) {
    const naming = names === '' ? '' : `, and these categories named: ${names}`
    return `${summary('would be imported')}${naming}; nothing was imported.\n`
  }
  const stay = names === '' ? '' : '; the names of categories stay'
  if (n !== undefined) cli.hint(`\`pets imports undo ${n}\` undoes this import${stay}.\n`)
  return `${summary('imported')}.${names === '' ? '' : ` Categories named: ${names}.`}\n`
}

function toLine({ id, name, categoryId, status }: StagedFile['first'][number]): string {
  return [...(id === undefined ? [] : [id]), printable(name), categoryId, status ?? '-'].join('  ')
}
