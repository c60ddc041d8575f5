/** Limits that hold on every engine: how long things are kept, and how much of long values is shown. */
import { DAY_MS } from '../common/clock.ts'

/** Removed animals can be restored for this many days, and are purged some days after it. */
export const RESTORABLE_DAYS = 30
export const RESTORABLE_MS = RESTORABLE_DAYS * DAY_MS
/** Clocks are wrong for a day, and then right again: what is to be purged is looked for so far apart. */
export const PURGE_MS = 2 * DAY_MS

/**
 * The number of the latest additions whose form tokens are kept, so that a form sent again adds nothing. A number
 * rather than a time, which one wrong reading of the clock would end.
 */
export const FORMS_KEPT = 1_000

/**
 * Characters of a name in lists and in outcomes of changing many animals: a thousand names of full length would take 60
 * MB. One more is read, to tell whether the name is longer.
 */
export const BRIEF_NAME = 200

/** The beginning of a long name, with an ellipsis. A character takes two units at most. */
export function brief(name: string): string {
  if (name.length <= BRIEF_NAME) return name
  const characters = [...name.slice(0, 2 * BRIEF_NAME + 2)]
  return characters.length <= BRIEF_NAME ? name : `${characters.slice(0, BRIEF_NAME).join('')}…`
}

/** The number of taken ids that an import names. */
export const TAKEN_SHOWN = 10

/** The number of animals that an undo names which it keeps. */
export const KEPT_SHOWN = 20

/** Rows of a table that `pets copy` reads or writes at a time. */
export const ARCHIVED_ROWS = 1_000

/** Characters of a label, at most. */
export const LABEL_LENGTH = 200

/** Characters of a passphrase, at least. */
export const PASSPHRASE_LENGTH = 12

/** The longest life of a session, in ms. */
export const SESSION_MS = 43_200_000
/** A session unused for this long ends, in ms. */
export const IDLE_MS = 1_800_000
/** The most sessions of a person; another one ends the oldest. */
export const SESSIONS_OF_ONE = 20
/** How far, in ms, the clock may be set back without ending sessions. */
export const STEP_BACK_MS = 300_000

/** Where one process serves the database: how long after a change counts and the ledger are saved. */
export const SAVE_AFTER_MS = 50
