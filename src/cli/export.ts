/** `pets export`: writes every animal, from one snapshot, to standard output: NDJSON of Pets, or CSV. */
import { Command, Option } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { petJson } from '../contract/json.ts'
import { openStore } from '../store/open.ts'
import type { PetRow } from '../store/store.ts'
import { databaseOption } from './options.ts'
import { print } from './output.ts'

interface ExportOptions {
  readonly database: string
  readonly format: 'ndjson' | 'csv'
  readonly forSpreadsheet?: true
}

interface Format {
  readonly header: string
  write(rows: readonly PetRow[]): string
}

const NDJSON: Format = {
  header: '',
  write: (rows) =>
    rows.map(({ id, name, categoryId, status }) => `${petJson(id, name, categoryId, status)}\n`).join(''),
}

/** Spreadsheets take a field that begins so for a formula, quoted or not. */
const FORMULA = /^[=+\-@\t\r]/

/** `toText` writes a name. Ids and categories are numbers, and stay. */
function csv(toText: (name: string) => string): Format {
  return {
    header: 'id,name,categoryId,status\n',
    write: (rows) => stringify(rows.map(({ id, name, categoryId, status }) => [id, toText(name), categoryId, status])),
  }
}

export const exportPets = new Command('export')
  .description('Write all animals to standard output.')
  .addOption(new Option('--format <format>', 'how').choices(['ndjson', 'csv']).default('ndjson'))
  .option('--for-spreadsheet', 'in CSV, an apostrophe before names that a spreadsheet takes for formulas')
  .addOption(databaseOption())
  .action(async ({ database, format, forSpreadsheet }: ExportOptions, command: Command) => {
    if (forSpreadsheet && format !== 'csv') command.error('error: --for-spreadsheet goes with --format csv.')
    let neutralised = 0
    const toText = (name: string) => {
      if (!forSpreadsheet || !FORMULA.test(name)) return name
      neutralised += 1
      return `'${name}`
    }
    const { header, write } = format === 'csv' ? csv(toText) : NDJSON
    const store = await openStore(database, { serving: false, mustExist: true })
    try {
      await print(header)
      for await (const rows of store.pets.export()) await print(write(rows))
    } finally {
      await store.close()
    }
    if (forSpreadsheet) {
      const names = neutralised === 1 ? '1 name has' : `${neutralised} names have`
      process.stderr.write(
        `For a spreadsheet: ${names} an apostrophe before what would be a formula; do not import this file again.\n`,
      )
    }
  })
