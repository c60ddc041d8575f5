/** `pets journal`: who changed what and when. */
import { Command } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import type { JournalEntry, JournalQuery } from '../../../store/records.ts'
import { examples } from '../../examples.ts'
import { databaseOption, instant, wholeNumber } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { withStore } from '../../store.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'
import { petId } from './animal.ts'

const ENTRIES_PER_PAGE = 1_000

interface JournalOptions {
  readonly database: string
  readonly since?: number
  readonly animal?: bigint
  readonly key?: string
  readonly limit: number
  readonly json?: true
}

export const journal = new Command('journal')
  .description('Show who changed what and when, newest first.')
  .addHelpText('after', examples('pets journal --since 2026-11-01 --limit 1000', 'pets journal --animal 42 --json'))
  .option('--since <time>', 'only entries since this time, ISO 8601', instant)
  .option('--animal <id>', 'only entries about this animal', petId)
  .option('--key <id>', 'only entries about this key')
  .option('--limit <n>', 'how many at most', wholeNumber(1, 1_000_000_000), 100)
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: JournalOptions) =>
    withStore(options, async ({ records }) => {
      const toTable = tableOf(['WHEN', 'WHO', 'ACT', 'WHAT', 'FROM', 'TO'])
      let left = options.limit
      let before: bigint | undefined
      while (left > 0) {
        const query: JournalQuery = {
          petId: options.animal,
          keyId: options.key,
          sinceMs: options.since,
          before,
          limit: Math.min(left, ENTRIES_PER_PAGE),
        }
        const entries = await records.journal(query)
        if (entries.length === 0) break
        await print(
          options.json ? entries.map((entry) => `${entryJson(entry)}\n`).join('') : toTable(entries.map(toCells)),
        )
        left -= entries.length
        before = entries.at(-1)?.n
      }
      if (before === undefined) hint('The journal has no such entries.\n')
    }),
  )

function toCells({ atMs, who, act, petId, keyId, from = '', to = '' }: JournalEntry): string[] {
  const what = petId !== undefined ? `animal ${petId}` : (keyId ?? '-')
  return [toMinute(atMs), printable(who), act, what, printable(from), printable(to)]
}

/** Ids and values as text, since they may exceed the numbers of some JSON parsers. */
export function entryJson({ n, atMs, who, act, petId, keyId, from, to }: JournalEntry): string {
  return printableJson({ n: n.toString(), at: toIso(atMs), who, act, animal: petId, key: keyId, from, to })
}
