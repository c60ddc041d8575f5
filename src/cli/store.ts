/** Opens and closes the database for a command. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { databaseFile, noDatabase, openStore } from '../store/open.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import type { Cli } from './cli.ts'
import { CommandFailed } from './options.ts'

/** Throws if the database does not exist, unless it is to be made (`--create`): its name may be mistyped. */
export async function withStore<T>(cli: Cli, command: Command, work: (store: Store) => Promise<T>): Promise<T> {
  const { database, create } = command.opts<{ readonly database: string; readonly create?: true }>()
  const url = cli.databaseUrl(database)
  const mayCreate = command.options.some((option) => option.name() === 'create')
  const file = databaseFile(url)
  if (file !== undefined && !existsSync(file)) {
    if (create) cli.hint(`Creating a new database: ${file}\n`)
    else if (mayCreate) throw new CommandFailed(`${noDatabase(file)}, or make a new one with --create.`)
  }
  const { clock } = cli
  const store = await openStore(url, { serving: false, clock, mustExist: !create, onUpgrade: warnOnUpgrade(cli) })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Warns on standard error that a database of an earlier version is upgraded. */
export function warnOnUpgrade(cli: Cli): (sentence: string) => void {
  return (sentence) => cli.warn(`${sentence}.\n`)
}

/**
 * Prints a new secret and then stores it: one that nobody could see is not stored, and a failed store is reported. A
 * locked database is reported before the secret is printed. `nothing` begins the message when nothing was done.
 */
export async function showThenStore<T>(
  cli: Cli,
  store: Store,
  { nothing, secret }: { readonly nothing: string; readonly secret: 'key' | 'link' },
  issue: (print: (line: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  let isShown = false
  const print = async (line: string) => {
    if (cli.io.stdout.isDiscarded) throw new CommandFailed(`${nothing}: nobody can see standard output.`)
    await store.keys.untilWritable().catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? new CommandFailed(`${nothing}. ${error.message}`) : error
    })
    await cli.print(`${line}\n`).catch((error: Error) => {
      throw new CommandFailed(`${nothing}. ${error.message}`)
    })
    isShown = true
  }
  try {
    return await issue(print)
  } catch (error) {
    if (!isShown || !(error instanceof StoreUnavailable || error instanceof CommandFailed)) throw error
    throw new CommandFailed(`The ${secret} shown was not stored and does not work. ${error.message}`)
  }
}
