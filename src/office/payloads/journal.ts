/** The journal, by filters and pages, and the report of a month. */
import type { MonthReport } from '../../domain/report-lines.ts'
import { JOURNAL_KINDS } from '../../rules/journal.ts'
import type { JournalEntry } from '../../store/journal.ts'
import { FILTER, json, object, type Sent } from './route.ts'

/** Unix ms. */
const TIME = { type: 'string', pattern: '^\\d{0,16}$' } as const
/** Without one it is that of now. */
const MONTH = object({}, { month: FILTER })

export interface JournalLine extends Sent<Omit<JournalEntry, 'from' | 'to' | 'undoes'>> {
  /** The values before and after, as text by member; of a long name, its beginning. */
  readonly from: Readonly<Record<string, string | null>>
  readonly to: Readonly<Record<string, string | null>>
}

export interface ListedLine extends JournalLine {
  /** Of an act on several animals, which it stands for: how many they are. */
  readonly several?: { readonly animals: number; readonly isUndone: boolean } | undefined
  /** Of its animal: the name now, or when it was removed, shortened; none if it is purged. */
  readonly animalName?: string | undefined
}

/** Newest first. */
export interface JournalPage {
  readonly lines: readonly ListedLine[]
  /**
   * Cursor for `before`; null on the last page. What is rare is looked for within a time, so a page may be short,
   * or empty, and others follow.
   */
  readonly older: string | null
}

export const JOURNAL_ROUTES = {
  /** For each role; an empty filter counts as absent. */
  'GET /api/journal': {
    role: 'viewer',
    query: object(
      {},
      {
        kind: { enum: [...JOURNAL_KINDS, ''] },
        /** A number, or words of a name. */
        animal: FILTER,
        keyId: FILTER,
        who: FILTER,
        since: TIME,
        before: FILTER,
      },
    ),
    response: json<JournalPage>(),
  },
  'GET /api/report': { role: 'viewer', query: MONTH, response: json<MonthReport>() },
  /** A download. */
  'GET /api/report.csv': { role: 'viewer', query: MONTH },
} as const
