/** Opens the database for a command, and shows secrets that are created in it. */
import type { Command } from 'commander'
import { isThere } from '../common/paths.ts'
import { databaseFile, noDatabase, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { Cli } from './cli.ts'
import { CommandFailed, UsageError } from './options.ts'

/** Throws if the database does not exist, unless `--create` is given: its name might be mistyped. */
export async function openDatabase(cli: Cli, command: Command): Promise<Store> {
  const { database, create } = command.opts<{ readonly database: string; readonly create?: true }>()
  const url = cli.databaseUrl(database)
  const file = databaseFile(url)
  if (file !== undefined && !isThere(file)) {
    const mayCreate = command.options.some((option) => option.name() === 'create')
    if (create) cli.hint(`Creating a new database: ${file}\n`)
    else if (mayCreate) throw new UsageError(`${noDatabase(file)}, or create a new one with --create.`)
  }
  return openStore(url, { serving: false, clock: cli.clock, mustExist: !create, onUpgrade: warnOnUpgrade(cli) })
}

export function warnOnUpgrade(cli: Cli): (sentence: string) => void {
  return (sentence) => cli.warn(`${sentence}.\n`)
}

interface SecretSpec<T> {
  readonly make: (store: Store) => Promise<T>
  readonly lineOf: (secret: T) => string
  /** Undoes `make` if the secret could not be printed, and reports what remains. */
  readonly undo: (secret: T, store: Store) => Promise<string>
}

/** Creates a secret and prints it. If nobody could see it, nothing is created, and the error begins with `nothing`. */
export async function makeAndShow<T>(
  { cli, open }: { readonly cli: Cli; readonly open: () => Promise<Store> },
  nothing: string,
  { make, lineOf, undo }: SecretSpec<T>,
): Promise<T> {
  if (cli.io.stdout.isDiscarded) throw new CommandFailed(`${nothing}: standard output is discarded.`)
  const store = await open()
  const secret = await make(store)
  await cli.print(`${lineOf(secret)}\n`).catch(async (error: Error) => {
    throw new CommandFailed(`${error.message} ${await undo(secret, store)}`)
  })
  return secret
}
