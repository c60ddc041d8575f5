/** `pets imports`: lists the imports, and undoes one. */
import { Command, InvalidArgumentError } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import type { ImportRecord } from '../../../store/imports.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, instant, UsageMistake, wholeNumber } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'
import { animals } from './animal.ts'

/** In one transaction, which others wait for. */
const RESTORED_TOGETHER = 1_000

const list = new Command('list')
  .description('Show the imports and syncs, newest first.')
  .addHelpText('after', examples('pets imports', 'pets imports --limit 5 --json'))
  .option('--limit <n>', 'how many at most', wholeNumber(1, 100_000), 100)
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: { readonly database: string; readonly limit: number; readonly json?: true }) =>
    withStore(options, async ({ imports }) => {
      const found = await imports.list(options.limit)
      if (found.length === 0) hint('Nothing has been imported yet.\n')
      else if (options.json) await print(found.map(toJsonLine).join(''))
      else {
        const toTable = tableOf(['NUMBER', 'WHEN', 'WHO', 'FROM', 'ANIMALS', 'UNDONE'])
        const rows = found.map(({ n, atMs, who, source, animals, undoneAtMs }) => {
          return [String(n), toMinute(atMs), printable(who), printable(source), String(animals), toMinute(undoneAtMs)]
        })
        await print(toTable(rows))
      }
    }),
  )

interface UndoOptions {
  readonly database: string
  readonly by?: string
  readonly since?: number
  readonly dryRun?: true
}

const undo = new Command('undo')
  .description('Take back what an import, a sync or a key did with animals that nobody has changed since.')
  .addHelpText(
    'after',
    examples('pets imports undo 3', 'pets imports undo --by ID --since 2026-11-23T09:00Z --dry-run'),
  )
  .argument('[number]', 'its number, as `pets imports` shows it', importNumber)
  .option('--by <id>', 'what this key has created instead; becomes an import with a number')
  .option('--since <time>', 'with --by: since this time, ISO 8601', instant)
  .option('--dry-run', 'with --by: say how many there are, and remove nothing')
  .addOption(databaseOption())
  .action((number: bigint | undefined, options: UndoOptions) =>
    withStore(options, async ({ imports, keys, origins }) => {
      const { by, since, dryRun = false } = options
      const isOfKey = by !== undefined && since !== undefined && number === undefined
      if (!isOfKey && (number === undefined || by !== undefined || since !== undefined || dryRun)) {
        throw new UsageMistake('Name the number of an import, or a key and a time: --by ID --since TIME.')
      }
      let n = number ?? 0n
      if (isOfKey) {
        if ((await keys.get(by)) === undefined) {
          throw new CommandFailed(`There is no key ${printable(by)}; \`pets keys list\` shows the ids.`)
        }
        const found = dryRun ? await origins.count(by, since) : 0
        const gathered = dryRun ? undefined : await origins.gather(by, since, author())
        if (gathered === undefined) {
          const would = 'would be removed, but those that somebody has changed'
          await print(
            `${found === 0 ? 'Nothing is here that this key has created since' : `${animals(found)} ${would}`}.\n`,
          )
          return
        }
        n = gathered
      }
      const undone = await imports.undo(n, author())
      if (undone === undefined) {
        throw new CommandFailed(`Import ${n} does not exist or is already undone; \`pets imports\` lists all imports.`)
      }
      const { removed, putBack = 0, kept } = undone
      const back = putBack === 0 ? '' : `, ${putBack} put back as they were`
      const rest = kept === 0 ? '' : `; ${animals(kept)} changed or removed since the import stayed as they are`
      await print(`Import ${n} is undone: ${animals(removed)} removed${back}${rest}.\n`)
    }),
  )

const restore = new Command('restore')
  .description('Bring back the animals that the undo of an import has removed.')
  .addHelpText('after', examples('pets imports restore 3'))
  .argument('<number>', 'its number, as `pets imports` shows it', importNumber)
  .addOption(databaseOption())
  .action((n: bigint, options: { readonly database: string }) =>
    withStore(options, async ({ origins, records }) => {
      let restored = 0
      const next = () => origins.undone(n, RESTORED_TOGETHER)
      for (let ids = await next(); ids.length > 0; ids = await next()) {
        restored += (await records.restore(ids, author())).changed
      }
      if (restored === 0) throw new CommandFailed(`Nothing that an undo of import ${n} has removed can be restored.`)
      await print(`${animals(restored)} restored.\n`)
    }),
  )

export const imports = new Command('imports')
  .description('Show imports and syncs, undo one, or take an undo back.')
  .addCommand(list, { isDefault: true })
  .addCommand(undo)
  .addCommand(restore)

function toJsonLine({ n, atMs, who, source, animals, undoneAtMs }: ImportRecord): string {
  const times = { at: toIso(atMs), undoneAt: toIso(undoneAtMs) }
  return `${printableJson({ n: n.toString(), ...times, who, source, animals })}\n`
}

function importNumber(text: string): bigint {
  const n = parseInt64(text)
  if (n === undefined || n < 1n) throw new InvalidArgumentError('It must be the number of an import.')
  return n
}
