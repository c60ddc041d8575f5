/** What the office's page and its server say to each other of the journal; see office-data.ts. */

import type { JournalAct } from '../store/rules/journal.ts'

/** The kinds of acts by which the journal is filtered. */
export type JournalKind = 'add' | 'change' | 'remove' | 'import' | 'category' | 'export' | 'key' | 'person' | 'session'

export interface JournalLine {
  readonly n: string
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  readonly petId: string | null
  readonly keyId: string | null
  /** The values before and after, as text by member; of a long name, its beginning. */
  readonly from: Readonly<Record<string, string | null>>
  readonly to: Readonly<Record<string, string | null>>
}

/** Newest first. */
export interface JournalPage {
  readonly lines: readonly JournalLine[]
  /** By number, the beginnings of the names of animals, as they are now or were when removed; none of purged ones. */
  readonly names: Readonly<Record<string, string>>
  /**
   * For `before`; null on the last page. What is rare is looked for within a time, so a page may be short,
   * or empty, and others follow.
   */
  readonly older: string | null
}
