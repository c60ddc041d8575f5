/** Opens and closes the database for a command, and names the author of its changes. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Command, Option } from 'commander'
import { systemClock } from '../common/system-clock.ts'
import type { Author } from '../store/author.ts'
import { databaseFile, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './options.ts'
import { hint, note } from './output.ts'

/** Throws StoreUnusable if the database does not exist. */
export function withStore<T>(options: WithDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  return withOpened(options, work, true)
}

/**
 * For commands that make sense on a new database. A database that is named explicitly is created, with a note. The
 * default one needs `--create`: in a wrong folder a command would otherwise create an empty database unnoticed.
 */
export function withNewStore<T>(
  options: WithDatabase & { readonly create?: true },
  command: Command,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const file = databaseFile(options.database)
  const isMissing = file !== undefined && !existsSync(file)
  const isNamed = command.getOptionValueSource('database') !== 'default'
  if (isMissing && !isNamed && !options.create) {
    throw new CommandFailed(
      `There is no database at ${file}; go to the folder of the service, name the database with --database, or create a new one here with --create.`,
    )
  }
  if (isMissing) hint(`Creating a new database: ${file}\n`)
  return withOpened(options, work, false)
}

export function createOption(): Option {
  return new Option('--create', 'create the database if it does not exist')
}

interface WithDatabase {
  readonly database: string
}

async function withOpened<T>(
  { database }: WithDatabase,
  work: (store: Store) => Promise<T>,
  mustExist: boolean,
): Promise<T> {
  const store = await openStore(database, { serving: false, clock: systemClock, mustExist, onUpgrade: noteUpgrade })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Tells, beside the output, that a database of an earlier version is upgraded. */
export function noteUpgrade(sentence: string): void {
  note(`${sentence}.\n`)
}

/** The author of the changes that this command makes, each at the time of its commit. */
export function author(): Author {
  return {
    who: `cli ${userName()}`,
    get atMs() {
      return systemClock.now()
    },
  }
}

/** The user that runs the process may have no name, as in a container. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
