/** Routes for the journal and the report. */
import type { MonthReport } from '../../domain/report-lines.ts'
import { JOURNAL_KINDS } from '../../rules/journal.ts'
import type { JournalEntry } from '../../store/journal.ts'
import { FILTER, json, object, type Sent } from './route.ts'

const TIME = { type: 'string', pattern: '^\\d{0,16}$' } as const
/** The current month if absent. */
const MONTH = object({}, { month: FILTER })

type ShownEntry = Pick<JournalEntry, 'n' | 'atMs' | 'who' | 'act' | 'petId' | 'keyId' | 'importN'>

export interface JournalLine extends Sent<ShownEntry> {
  /** The values before and after, as text by member; long names are shortened. */
  readonly from: Readonly<Record<string, string | null>>
  readonly to: Readonly<Record<string, string | null>>
}

export interface ListedLine extends JournalLine {
  /** For an act on several animals: the number of animals by what was done to them. */
  readonly parts?: Readonly<Record<string, number>> | undefined
  readonly isUndone: boolean
  /** The animal's name now or on removal, shortened; absent once it is purged. */
  readonly animalName?: string | undefined
}

export interface JournalPage {
  readonly lines: readonly ListedLine[]
  /** Cursor for `before`; null on the last page. A search ends after some time, so a page can be short or empty. */
  readonly older: string | null
}

export const JOURNAL_ROUTES = {
  /** An empty filter counts as absent. */
  'GET /api/journal': {
    role: 'viewer',
    query: object(
      {},
      {
        kind: { enum: [...JOURNAL_KINDS, ''] },
        /** A number, or words of a name. */
        animal: FILTER,
        keyId: FILTER,
        /** The number of an act on several animals, whose parts are shown. */
        partOf: FILTER,
        who: FILTER,
        since: TIME,
        before: FILTER,
      },
    ),
    response: json<JournalPage>(),
  },
  'GET /api/report': { role: 'viewer', query: MONTH, response: json<MonthReport>() },
  'GET /api/report.csv': { role: 'viewer', query: MONTH },
} as const
