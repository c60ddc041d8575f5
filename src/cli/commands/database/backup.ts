/** `pets backup`, `pets restore` and `pets verify`: the database as a whole, saved, put back and checked. */
import { Command } from 'commander'
import { printable } from '../../../common/printable.ts'
import { systemClock } from '../../../common/system-clock.ts'
import { backUp, restore as restoreStore, verify as verifyStore } from '../../../store/open.ts'
import type { Contents, Returning } from '../../../store/upkeep.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { hint, note, print } from '../../output.ts'
import { startProgress } from '../../progress.ts'

interface Options {
  readonly database: string
}

export const backup = new Command('backup')
  .description('Save the database in a new file, beside the running service.')
  .addHelpText('after', examples('pets backup /backups/pets.db'))
  .argument('<file>', 'where to; it must not be there yet')
  .addOption(databaseOption())
  .action(async (file: string, { database }: Options) => {
    const contents = await untilEnded((signal) =>
      withBar('backing up', (onProgress) => backUp(database, file, { clock: systemClock, onProgress, signal })),
    )
    await print(`Backed up and checked: ${toText(contents)}.\n`)
  })

export const restore = new Command('restore')
  .description('Put a backup in the place of the database; stop the service first.')
  .addHelpText('after', examples('pets restore /backups/pets.db'))
  .argument('<file>', 'the backup')
  .addOption(databaseOption())
  .action(async (file: string, { database }: Options) => {
    const { contents, aside } = await withBar('restoring', (onProgress) =>
      restoreStore(file, database, { onProgress, clock: systemClock, onReturning: tellReturning }),
    )
    await print(`Restored and checked: ${toText(contents)}.\n`)
    if (aside !== undefined) hint(`The database that was there is kept as ${aside}\n`)
  })

export const verify = new Command('verify')
  .description('Check the whole database, beside the running service, and say what was found.')
  .addHelpText('after', examples('pets verify'))
  .addOption(databaseOption())
  .action(async ({ database }: Options) => {
    const { contents, damage, notes } = await verifyStore(database)
    for (const found of notes) note(`${found}\n`)
    if (damage.length > 0) {
      throw new CommandFailed(
        [...damage, 'The database is damaged; put a backup in its place with `pets restore FILE`.'].join('\n'),
      )
    }
    await print(`The database is sound: ${toText(contents)}.\n`)
  })

/** Said before anything is changed; the command asks nothing, so that scripts go on. */
function tellReturning(who: Returning): void {
  if (who === undefined) {
    note('Who was revoked after the backup cannot be read; look at `pets keys list` and `pets people list`.\n')
    return
  }
  const { keys, people } = who
  if (keys.length > 0) {
    note(
      `${count(keys.length, 'key')} revoked after the backup will be valid again: ${some(keys)}. \`pets keys revoke ID\` revokes each.\n`,
    )
  }
  if (people.length > 0) {
    const who = people.length === 1 ? '1 person' : `${people.length} people`
    note(
      `${who} revoked after the backup will come into the office again: ${some(people)}. \`pets people revoke NAME\` revokes each.\n`,
    )
  }
}

const MAX_NAMED = 20

function some(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => printable(name))
  return `${named.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`
}

/** Ctrl-C ends the work, and nothing is left of it. */
async function untilEnded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  const end = () => ended.abort()
  for (const signal of SIGNALS) process.once(signal, end)
  try {
    return await work(ended.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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

function toText({ animals, removed, keys, entries }: Contents): string {
  return `${count(animals, 'animal')}, ${removed} removed, ${count(keys, 'key')}, ${entries} journal ${entries === 1 ? 'entry' : 'entries'}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
