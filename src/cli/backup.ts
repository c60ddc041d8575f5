/** `pets backup`, `pets restore` and `pets verify`: the database as a whole, saved, put back and checked. */
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { fileFor } from '../store/open.ts'
import type { Contents } from '../store/sqlite/inspect.ts'
import { CommandFailed, databaseOption } from './options.ts'
import { note, print } from './output.ts'
import { startProgress } from './progress.ts'

interface Options {
  readonly database: string
}

export const backup = new Command('backup')
  .description('Save the database in a new file, beside the running service.')
  .argument('<file>', 'where to; it must not be there yet')
  .addOption(databaseOption())
  .action(async (file: string, { database }: Options) => {
    const path = existing(await fileFor('backup', database))
    const { backUp } = await import('../store/sqlite/backup.ts')
    const contents = await withBar('backing up', (onProgress) => backUp(path, file, { onProgress }))
    await print(`Backed up and checked: ${describe(contents)}.\n`)
  })

export const restore = new Command('restore')
  .description('Put a backup in the place of the database; stop the service first.')
  .argument('<file>', 'the backup')
  .addOption(databaseOption())
  .action(async (file: string, { database }: Options) => {
    const path = await fileFor('restore', database)
    const { restore } = await import('../store/sqlite/restore.ts')
    const { contents, aside } = await withBar('restoring', (onProgress) =>
      restore(file, path, { onProgress, nowMs: Date.now() }),
    )
    await print(`Restored and checked: ${describe(contents)}.\n`)
    if (aside !== undefined) note(`The database that was there is kept as ${aside}\n`)
  })

export const verify = new Command('verify')
  .description('Check the whole database, beside the running service, and say what was found.')
  .addOption(databaseOption())
  .action(async ({ database }: Options) => {
    const path = existing(await fileFor('verify', database))
    const { verify } = await import('../store/sqlite/verify.ts')
    const { contents, damage, notes } = verify(path)
    for (const found of notes) note(`${found}\n`)
    if (damage.length > 0) {
      throw new CommandFailed(
        [...damage, 'The database is damaged; put a backup in its place with `pets restore FILE`.'].join('\n'),
      )
    }
    await print(`The database is sound: ${describe(contents)}.\n`)
  })

function existing(path: string): string {
  if (existsSync(path)) return path
  throw new CommandFailed(
    `There is no database at ${path}; go to the folder of the service, or name the database with --database.`,
  )
}

/** A bar for the bytes that `work` has written. */
async function withBar<T>(
  what: string,
  work: (onProgress: (bytes: number, of: number) => void) => Promise<T>,
): Promise<T> {
  let progress: ReturnType<typeof startProgress> | undefined
  let before = 0
  try {
    return await work((bytes, of) => {
      progress ??= startProgress(what, of)
      progress.advance(Math.min(bytes, of) - before)
      before = Math.min(bytes, of)
    })
  } finally {
    progress?.stop()
  }
}

function describe({ animals, removed, keys, entries }: Contents): string {
  return `${count(animals, 'animal')}, ${removed} removed, ${count(keys, 'key')}, ${entries} journal ${entries === 1 ? 'entry' : 'entries'}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
