/** `pets backup`, `restore` and `verify`: save, restore and check the whole database. */
import { counted } from '../../../common/counted.ts'
import { printable } from '../../../common/printable.ts'
import type { Contents, Returning } from '../../../store/maintenance.ts'
import { backUp, restore as restoreStore, verify as verifyStore } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { startProgress } from '../../progress.ts'

export const backup = command({
  about: 'Back up the database to a new file. Works while the service runs.',
  examples: ['pets backup /backups/pets.db'],
  takes: (command) => command.argument('<file>', 'path of a new file'),
  async action({ cli }, file, { database }) {
    const contents = await untilInterrupted((signal) =>
      withBar(cli, 'backing up', (onProgress) =>
        backUp(cli.databaseUrl(database), cli.path(file), { clock: cli.clock, onProgress, signal }),
      ),
    )
    return `Backed up and checked: ${toText(contents)}.\n`
  },
})

export const restore = command({
  about: 'Replace the database with a backup. Stop the service first.',
  examples: ['pets restore /backups/pets.db'],
  takes: (command) =>
    command
      .addOption(databaseOption())
      .option('--yes', 'restore a backup without animals over a database with animals')
      .argument('<file>', 'path of the backup'),
  database: false,
  async action({ cli, show }, file, { database, yes = false }) {
    const onReturning = (who: Returning) => warnOfReinstated(cli, who)
    const { contents, aside } = await withBar(cli, 'restoring', (onProgress) => {
      const how = { onProgress, clock: cli.clock, mayBeEmpty: yes, onReturning }
      return restoreStore(cli.path(file), cli.databaseUrl(database), how)
    })
    await show(`Restored and checked: ${toText(contents)}.\n`)
    if (aside !== undefined) cli.hint(`The replaced database is kept as ${aside}\n`)
  },
})

export const verify = command({
  about: 'Check the whole database. Works while the service runs.',
  examples: ['pets verify'],
  async action({ cli }, { database }) {
    const { contents, damage } = await verifyStore(cli.databaseUrl(database))
    if (damage.length === 0) return `The database is sound: ${toText(contents)}.\n`
    const advice = 'The database is damaged. Restore a backup with `pets restore FILE`.'
    throw new CommandFailed([...damage, advice].join('\n'))
  },
})

/** Warns before anything changes. There is no question, so that scripts continue. */
function warnOfReinstated(cli: Cli, who: Returning): void {
  if (who === undefined) {
    cli.warn(
      'No database here shows who was revoked after the backup. Check `pets keys list` and `pets people list`.\n',
    )
    return
  }
  const { keys, people } = who
  const back = (who: string, again: string, names: readonly string[], revoke: string) =>
    names.length > 0 &&
    cli.warn(
      `${who} revoked after the backup will ${again} again: ${some(names)}. To revoke each again, use \`pets ${revoke}\`.\n`,
    )
  back(counted(keys.length, 'key'), 'be valid', keys, 'keys revoke ID')
  const persons = people.length === 1 ? '1 person' : `${people.length} people`
  back(persons, 'sign in', people, 'people revoke NAME')
}

const MAX_NAMED = 20

function some(names: readonly string[]): string {
  const list = names.slice(0, MAX_NAMED).map((name) => printable(name))
  return `${list.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`
}

/** On a signal, `work` removes its files. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

async function withBar<T>(
  cli: Cli,
  what: string,
  work: (onProgress: (bytes: number, of: number) => void) => Promise<T>,
): Promise<T> {
  let progress: ReturnType<typeof startProgress> | undefined
  let before = 0
  try {
    return await work((bytes, of) => {
      progress ??= startProgress(cli, what, of)
      progress.advance(Math.min(bytes, of) - before)
      before = Math.min(bytes, of)
    })
  } finally {
    progress?.stop()
  }
}

function toText({ animals, removed, keys, entries }: Contents): string {
  return `${counted(animals, 'animal')}, ${removed} removed, ${counted(keys, 'key')}, ${entries} journal ${entries === 1 ? 'entry' : 'entries'}`
}
