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
  readonly format: keyof typeof FORMATS
}

const FORMATS = {
  ndjson: {
    header: '',
    write: (rows: readonly PetRow[]) =>
      rows.map(({ id, name, categoryId, status }) => `${petJson(id, name, categoryId, status)}\n`).join(''),
  },
  csv: {
    header: 'id,name,categoryId,status\n',
    write: (rows: readonly PetRow[]) =>
      stringify(rows.map(({ id, name, categoryId, status }) => [id, name, categoryId, status])),
  },
}

export const exportPets = new Command('export')
  .description('Write all animals to standard output.')
  .addOption(new Option('--format <format>', 'how').choices(Object.keys(FORMATS)).default('ndjson'))
  .addOption(databaseOption())
  .action(async (options: ExportOptions) => {
    const store = await openStore(options.database, { serving: false, mustExist: true })
    const { header, write } = FORMATS[options.format]
    try {
      await print(header)
      for await (const rows of store.pets.export()) await print(write(rows))
    } finally {
      await store.close()
    }
  })
