/** `pets imports`: lists the imports, and undoes one. */
import { Command, InvalidArgumentError } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import type { ImportRecord } from '../../../store/imports.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, wholeNumber } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'
import { animals } from './animal.ts'

const list = new Command('list')
  .description('Show the imports, newest first.')
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

const undo = new Command('undo')
  .description('Remove the animals of an import that nobody has changed since.')
  .addHelpText('after', examples('pets imports undo 3'))
  .argument('<number>', 'its number, as `pets imports` shows it', importNumber)
  .addOption(databaseOption())
  .action((n: bigint, options: { readonly database: string }) =>
    withStore(options, async ({ imports }) => {
      const undone = await imports.undo(n, author())
      if (undone === undefined) {
        throw new CommandFailed(`Import ${n} does not exist or is already undone; \`pets imports\` lists all imports.`)
      }
      const { removed, kept } = undone
      const rest = kept === 0 ? '' : `; ${animals(kept)} changed or removed since the import stayed as they are`
      await print(`Import ${n} is undone: ${animals(removed)} removed${rest}.\n`)
    }),
  )

export const imports = new Command('imports')
  .description('Show imports, or undo one.')
  .addCommand(list, { isDefault: true })
  .addCommand(undo)

function toJsonLine({ n, atMs, who, source, animals, undoneAtMs }: ImportRecord): string {
  const times = { at: toIso(atMs), undoneAt: toIso(undoneAtMs) }
  return `${printableJson({ n: n.toString(), ...times, who, source, animals })}\n`
}

function importNumber(text: string): bigint {
  const n = parseInt64(text)
  if (n === undefined || n < 1n) throw new InvalidArgumentError('It must be the number of an import.')
  return n
}
