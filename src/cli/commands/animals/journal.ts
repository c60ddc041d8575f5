/** `pets journal`: who changed what and when. */
import { printable } from '../../../common/printable.ts'
import type { JournalEntry } from '../../../store/journal.ts'
import type { JournalQuery, PetRecords } from '../../../store/records.ts'
import { command, rowsOf } from '../../command.ts'
import { parseTime, wholeNumber } from '../../options.ts'
import { toIso } from '../../table.ts'
import { findKey } from '../access/key-format.ts'
import { petId } from './animal.ts'

const ENTRIES_PER_PAGE = 1_000

export const journal = command({
  about: 'Show who changed what and when, newest first.',
  examples: ['pets journal --since 2026-11-01 --limit 1000', 'pets journal --animal 42 --json'],
  takes: (command) =>
    command
      .option('--since <time>', 'only entries since this time, ISO 8601', parseTime)
      .option('--animal <id>', 'only entries about this animal', petId)
      .option('--key <id>', 'only entries about this key')
      .option('--limit <n>', 'how many at most', wholeNumber(1, 1_000_000_000), 100),
  json: 'one JSON object a line',
  async action({ open }, { limit, since, animal, key }) {
    const store = await open()
    if (key !== undefined) await findKey(store, key)
    return rowsOf({
      rows: pagesOf(store.records, limit, { petId: animal, keyId: key, sinceMs: since }),
      toJson: entryJson,
      columns: {
        WHEN: 'at',
        WHO: 'who',
        ACT: 'act',
        WHAT: ({ petId, keyId }) => (petId === undefined ? (keyId ?? '-') : `animal ${petId}`),
        FROM: ({ from = '' }) => printable(from),
        TO: ({ to = '' }) => printable(to),
      },
      none: 'The journal has no such entries.\n',
    })
  },
})

async function* pagesOf(records: PetRecords, limit: number, only: Omit<JournalQuery, 'limit' | 'before'>) {
  let before: bigint | undefined
  for (let remaining = limit; remaining > 0; ) {
    const entries = await records.journal({ ...only, before, limit: Math.min(remaining, ENTRIES_PER_PAGE) })
    if (entries.length === 0) return
    yield entries
    remaining -= entries.length
    before = entries.at(-1)?.n
  }
}

/** Ids and values as text, since they may exceed the numbers of some JSON parsers. */
export function entryJson({ n, atMs, who, act, petId, keyId, from, to }: JournalEntry) {
  return { n: n.toString(), at: toIso(atMs), who, act, animal: petId, key: keyId, from, to }
}
