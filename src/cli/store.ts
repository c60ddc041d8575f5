/** Opens and closes the database for a command. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { databaseFile, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { Cli } from './cli.ts'
import { CommandFailed } from './options.ts'

/**
 * Throws StoreUnusable if the database does not exist. A command with `--create` makes sense on a new one: a database
 * that is named explicitly is created, with a note. The default one needs `--create`: in a wrong folder a command would
 * otherwise create an empty database unnoticed.
 */
export async function withStore<T>(cli: Cli, command: Command, work: (store: Store) => Promise<T>): Promise<T> {
  const { database, create } = command.opts<{ readonly database: string; readonly create?: true }>()
  const url = cli.databaseUrl(database)
  const mayCreate = command.options.some((option) => option.name() === 'create')
  if (mayCreate) {
    const file = databaseFile(url)
    const isMissing = file !== undefined && !existsSync(file)
    const isNamed = command.getOptionValueSource('database') !== 'default'
    if (isMissing && !isNamed && !create) {
      throw new CommandFailed(
        `There is no database at ${file}; go to the folder of the service, name the database with --database, or create a new one here with --create.`,
      )
    }
    if (isMissing) cli.hint(`Creating a new database: ${file}\n`)
  }
  const { clock } = cli
  const store = await openStore(url, { serving: false, clock, mustExist: !mayCreate, onUpgrade: noteUpgrade(cli) })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Tells, beside the output, that a database of an earlier version is upgraded. */
export function noteUpgrade(cli: Cli): (sentence: string) => void {
  return (sentence) => cli.note(`${sentence}.\n`)
}
