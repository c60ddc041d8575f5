/**
 * `pets export`: writes every animal, from one snapshot, to standard output. The journal entry is written before the
 * first byte leaves.
 */
import { FILE_FORMATS } from '../../../animals-file/formats.ts'
import { AnimalsWriter } from '../../../animals-file/write.ts'
import { printableJsonLines, printableLines } from '../../../common/printable.ts'
import { TEXT_MEMBERS } from '../../../rules/members.ts'
import { ALL_ANIMALS } from '../../../rules/search.ts'
import { command } from '../../command.ts'
import { Option } from '../../options.ts'

export const exportAnimals = command({
  about: 'Write all animals to standard output.',
  examples: [
    'pets export > animals.ndjson',
    'pets export --format csv > animals.csv',
    'pets export --format csv --with-origin > origins.csv',
  ],
  takes: (command) =>
    command
      .addOption(new Option('--format <format>', 'output format').choices(FILE_FORMATS).default('ndjson'))
      .option(
        '--for-spreadsheet',
        'CSV for a spreadsheet, with an apostrophe before texts that it would read as formulas',
      )
      .option(
        '--with-origin',
        `also the ${TEXT_MEMBERS.join(' and ')} of each animal, and when, by whom and by which import it was added`,
      ),
  async action({ cli, command, open }, { format, forSpreadsheet = false, withOrigin = false }) {
    if (forSpreadsheet && format !== 'csv') command.error('error: --for-spreadsheet needs --format csv.')
    const writer = new AnimalsWriter(format, { forSpreadsheet, withOrigin })
    // A file gets control characters as they are; a terminal would obey them.
    const escaped = format === 'csv' ? printableLines : printableJsonLines
    const write = (text: string) =>
      cli.print(cli.io.stdout.isTTY === true ? escaped(text.replace(/^\ufeff/, '')) : text)
    const { pets, records, origins } = await open()
    await records.noteExport(format, ALL_ANIMALS, cli.author())
    await write(writer.header)
    for await (const rows of pets.export()) {
      const originOf = withOrigin ? await origins.provenance(rows.map(({ id }) => BigInt(id))) : undefined
      for (const text of writer.rows(rows, originOf)) await write(text)
    }
    if (!forSpreadsheet) return
    const texts = writer.neutralised === 1 ? '1 text has' : `${writer.neutralised} texts have`
    const marking = `${texts} an apostrophe that prevents a formula`
    cli.hint(`For a spreadsheet: ${marking}; do not import this file again.\n`)
  },
})
