/** `pets import`: adds the animals of a list, all or none; with --skip-invalid, all except invalid rows. */
import { READ_FORMATS_TEXT } from '../../../animals-file/formats.ts'
import type { ListResult } from '../../../animals-file/lists.ts'
import { printable } from '../../../common/printable.ts'
import { duplicatesText, importedText } from '../../../domain/file-outcome.ts'
import { TAKEN_SHOWN } from '../../../rules/bounds.ts'
import type { ImportOutcome } from '../../../store/imports.ts'
import type { StagedFile } from '../../../store/staging.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { bodyLimitOption, CommandFailed } from '../../options.ts'
import { MAP, proposalText, readList, SKIP_INVALID, YES } from './file.ts'

export const importAnimals = command({
  about: `Add the animals of a list: a file with a header row (name,categoryId,status), as ${READ_FORMATS_TEXT}.`,
  examples: [
    'pets import animals.csv --dry-run',
    'pets import animals.csv',
    'pets import animals.csv --map @list.map',
    'zcat animals.ndjson.gz | pets import -',
  ],
  takes: (command) =>
    command
      .argument('<file>', 'a file, or - for standard input')
      .addOption(SKIP_INVALID)
      .addOption(MAP)
      .addOption(YES)
      .option('--dry-run', 'show the result, and import nothing')
      .option('--with-ids', 'keep the ids of an export; refused if an id is in use')
      .option('--allow-duplicates', 'also add animals whose name and category already exist')
      .addOption(bodyLimitOption()),
  creates: true,
  action(run, file, options) {
    const { cli } = run
    const { dryRun = false, withIds = false, allowDuplicates = false, skipInvalid = false } = options
    const duplicates = allowDuplicates ? 'add' : 'refuse'
    return readList(run, file, options, {
      job: { withIds, skipInvalid, duplicates },
      async tell(result) {
        const { outcome } = result
        if (outcome === undefined || 'counts' in outcome) return
        if (dryRun && result.look.by.kind !== 'own') await cli.print(`${proposalText(result)}\n`)
        if (dryRun) await cli.print(outcome.file.first.map((pet) => `${toLine(pet)}\n`).join(''))
        await cli.print(describe(cli, outcome, dryRun, result))
      },
    })
  },
})

/** Describes the outcome. Throws CommandFailed if animals should have been imported and none was. */
function describe(
  cli: Cli,
  { n, file, duplicates, takenIds }: ImportOutcome,
  dryRun: boolean,
  { facts }: ListResult,
): string {
  const { rows: animals, newCategories } = file
  const summary = (done: string) => importedText({ animals, badRows: facts?.badRows ?? 0 }, { done })
  if (takenIds.length > 0) {
    const message = `These ids are taken or appear twice: ${takenIds.join(', ')}${takenIds.length === TAKEN_SHOWN ? ', …' : ''}; nothing was imported.`
    throw new CommandFailed(message)
  }
  if (duplicates > 0) {
    const message = `${duplicatesText(duplicates, animals)}. --allow-duplicates imports them too.`
    if (!dryRun) throw new CommandFailed(message)
    return `${message}\n`
  }
  const names = [...newCategories].map(([id, label]) => `${id} ${printable(label)}`).join(', ')
  if (dryRun) {
    const naming = names === '' ? '' : `, and these categories created: ${names}`
    return `${summary('would be imported')}${naming}; nothing was imported.\n`
  }
  const stay = names === '' ? '' : '; the new categories stay'
  if (n !== undefined) cli.hint(`\`pets imports undo ${n}\` undoes this import${stay}.\n`)
  return `${summary('imported')}.${names === '' ? '' : ` Categories created: ${names}.`}\n`
}

function toLine({ id, name, categoryId, status }: StagedFile['first'][number]): string {
  return [...(id === undefined ? [] : [id]), printable(name), categoryId, status ?? '-'].join('  ')
}
