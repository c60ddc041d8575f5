/** `pets imports`: lists the imports, and undoes one. */
import { Command, InvalidArgumentError } from 'commander'
import { counted } from '../../../common/counted.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import { undoneText } from '../../../domain/file-outcome.ts'
import type { Store } from '../../../store/store.ts'
import type { Cli } from '../../cli.ts'
import { printRows, storeCommand } from '../../command.ts'
import { CommandFailed, parseTime, UsageError, wholeNumber } from '../../options.ts'
import { toIso } from '../../table.ts'
import { findKey } from '../access/key-format.ts'

/** In one transaction, which others wait for. */
const RESTORED_TOGETHER = 1_000

export function imports(cli: Cli): Command {
  return new Command('imports')
    .description('Show imports and syncs, undo one, or take an undo back.')
    .addCommand(list(cli), { isDefault: true })
    .addCommand(undo(cli))
    .addCommand(restore(cli))
}

function list(cli: Cli): Command {
  return storeCommand(cli, 'list', {
    about: 'Show the imports and syncs, newest first.',
    examples: ['pets imports', 'pets imports --limit 5 --json'],
    takes: (command) => command.option('--limit <n>', 'how many at most', wholeNumber(1, 100_000), 100),
    json: 'one JSON object a line',
    action: async ({ store }, { limit, json }) =>
      printRows(cli, {
        rows: await store.imports.list(limit),
        json,
        toJson: ({ n, atMs, who, source, animals, undoneAtMs }) => {
          return { n: n.toString(), at: toIso(atMs), undoneAt: toIso(undoneAtMs), who, source, animals }
        },
        columns: { NUMBER: 'n', WHEN: 'at', WHO: 'who', FROM: 'source', ANIMALS: 'animals', UNDONE: 'undoneAt' },
        none: 'Nothing has been imported yet.\n',
      }),
  })
}

function undo(cli: Cli): Command {
  return storeCommand(cli, 'undo', {
    about: 'Take back what an import, a sync or a key did with animals that nobody has changed since.',
    examples: ['pets imports undo 3', 'pets imports undo --by ID --since 2026-11-23T09:00Z --dry-run'],
    takes: (command) =>
      command
        .argument('[number]', 'its number, as `pets imports` shows it', importNumber)
        .option('--by <id>', 'what this key has created instead; becomes an import with a number')
        .option('--since <time>', 'with --by: since this time, ISO 8601', parseTime)
        .option('--dry-run', 'with --by: say how many there are, and remove nothing'),
    action: async ({ store }, number, { by, since, dryRun }) => {
      const isOfKey = by !== undefined && since !== undefined && number === undefined
      if (!isOfKey && (number === undefined || by !== undefined || since !== undefined || dryRun)) {
        throw new UsageError('Name the number of an import, or a key and a time: --by ID --since TIME.')
      }
      const n = isOfKey ? await gathered(cli, store, by, since, dryRun) : number
      if (n === undefined) return
      const undone = await store.imports.undo(n, cli.author())
      if (undone === undefined) {
        throw new CommandFailed(`Import ${n} does not exist or is already undone; \`pets imports\` lists all imports.`)
      }
      await cli.print(`Import ${n} is undone: ${undoneText(undone)}.\n`)
    },
  })
}

/** The number of the import that what a key has created becomes. If none does, says why. */
async function gathered(cli: Cli, store: Store, by: string, since: number, dryRun = false) {
  await findKey(store, by)
  const found = dryRun ? await store.origins.count(by, since) : 0
  const n = dryRun ? undefined : await store.origins.groupAsImport(by, since, cli.author())
  if (n !== undefined) return n
  const would = `${counted(found, 'animal')} would be removed, but those that somebody has changed`
  await cli.print(`${found === 0 ? 'Nothing is here that this key has created since' : would}.\n`)
  return undefined
}

function restore(cli: Cli): Command {
  return storeCommand(cli, 'restore', {
    about: 'Bring back the animals that the undo of an import has removed.',
    examples: ['pets imports restore 3'],
    takes: (command) => command.argument('<number>', 'its number, as `pets imports` shows it', importNumber),
    action: async ({ store: { origins, records } }, n) => {
      let restored = 0
      const next = () => origins.undone(n, RESTORED_TOGETHER)
      for (let ids = await next(); ids.length > 0; ids = await next()) {
        restored += (await records.restore(ids, cli.author())).changed
      }
      if (restored === 0) throw new CommandFailed(`Nothing that an undo of import ${n} has removed can be restored.`)
      await cli.print(`${counted(restored, 'animal')} restored.\n`)
    },
  })
}

function importNumber(text: string): bigint {
  const n = parseInt64(text)
  if (n === undefined || n < 1n) throw new InvalidArgumentError('It must be the number of an import.')
  return n
}
