/** `pets export`: every animal, as of one instant, on standard output: NDJSON of Pets, or CSV. */
import { once } from 'node:events'
import { Command, Option } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { petJson } from '../contract/json.ts'
import { openStore } from '../store/open.ts'
import type { PetRow } from '../store/store.ts'
import { databaseOption } from './options.ts'

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
    process.stdout.on('error', endQuietly)
    try {
      process.stdout.write(header)
      for await (const rows of store.pets.export()) {
        if (!process.stdout.write(write(rows))) await once(process.stdout, 'drain')
      }
    } finally {
      await store.close()
    }
  })

/** The reader went away (`pets export | head`): nothing is wrong. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
