/** `pets backup`, `restore` and `verify`: save, restore and check the whole database. */
import { counted } from '../../../common/counted.ts'
import { printable } from '../../../common/printable.ts'
import type { Contents, Returning } from '../../../store/maintenance.ts'
import { backUp, restore as restoreStore, verify as verifyStore } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { startProgress } from '../../progress.ts'

const MAX_NAMED = 20

export const backup = command({
  about: 'Back up the database to a new file. Works while the service runs.',
  examples: ['pets backup /backups/pets.db'],
  takes: (command) => command.argument('<file>', 'path of a new file'),
  async action({ cli }, file, { database }) {
    const ended = new AbortController()
    const end = () => ended.abort()
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    for (const signal of signals) process.once(signal, end)
    const contents = await withBar(cli, 'backing up', (onProgress) => {
      const how = { clock: cli.clock, onProgress, signal: ended.signal }
      return backUp(cli.databaseUrl(database), cli.path(file), how)
    }).finally(() => {
      for (const signal of signals) process.off(signal, end)
    })
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
    const check = 'Check `pets keys list` and `pets people list`'
    cli.warn(`No database here shows who was revoked after the backup. ${check}.\n`)
    return
  }
  const { keys, people } = who
  const persons = people.length === 1 ? '1 person' : `${people.length} people`
  for (const [who, again, names, revoke] of [
    [counted(keys.length, 'key'), 'be valid', keys, 'keys revoke ID'],
    [persons, 'sign in', people, 'people revoke NAME'],
  ] as const) {
    if (names.length === 0) continue
    const some = names.slice(0, MAX_NAMED).map((name) => printable(name))
    const list = `${some.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`
    cli.warn(
      `${who} revoked after the backup will ${again} again: ${list}. To revoke each again, use \`pets ${revoke}\`.\n`,
    )
  }
}

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
