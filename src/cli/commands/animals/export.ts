/**
 * `pets export`: writes every animal, from one snapshot, to standard output as NDJSON of Pets or as CSV. The journal
 * entry is written before the first byte leaves; if that fails nothing is exported. The office's export does the same.
 */
import { Command, Option } from 'commander'
import { AnimalsWriter, type FileFormat } from '../../../animals-file/write.ts'
import { examples } from '../../examples.ts'
import { databaseOption } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'

interface ExportOptions {
  readonly database: string
  readonly format: FileFormat
  readonly forSpreadsheet?: true
}

export const exportPets = new Command('export')
  .description('Write all animals to standard output.')
  .addHelpText('after', examples('pets export > animals.ndjson', 'pets export --format csv > animals.csv'))
  .addOption(new Option('--format <format>', 'how').choices(['ndjson', 'csv']).default('ndjson'))
  .option('--for-spreadsheet', 'in CSV, an apostrophe before names that a spreadsheet takes for formulas')
  .addOption(databaseOption())
  .action(async ({ database, format, forSpreadsheet }: ExportOptions, command: Command) => {
    if (forSpreadsheet && format !== 'csv') command.error('error: --for-spreadsheet goes with --format csv.')
    const writer = new AnimalsWriter(format, { forSpreadsheet: forSpreadsheet ?? false })
    await withStore({ database }, async ({ pets, records }) => {
      await records.noteExport(format, author())
      await print(writer.header)
      for await (const rows of pets.export()) await print(writer.rows(rows))
    })
    if (forSpreadsheet) {
      const names = writer.neutralised === 1 ? '1 name has' : `${writer.neutralised} names have`
      hint(`For a spreadsheet: ${names} an apostrophe before what would be a formula; do not import this file again.\n`)
    }
  })
