/** Limits on every engine: how long things are kept, and how much of long values is shown. */
import { DAY_MS } from '../common/clock.ts'

/** Removed animals can be restored for this many days, and are purged some days after it. */
export const RESTORABLE_DAYS = 30
export const RESTORABLE_MS = RESTORABLE_DAYS * DAY_MS
/** The clock might be wrong for a day, so two looks for animals to purge are this far apart. */
export const PURGE_MS = 2 * DAY_MS

/** The number of latest additions whose form tokens are kept. A time limit would depend on the clock. */
export const FORMS_KEPT = 1_000

/** Characters of a name in lists and outcomes: full names would take 60 MB. */
export const BRIEF_NAME = 200

/** The beginning of a long name, with an ellipsis. A character takes two units at most. */
export function brief(name: string): string {
  if (name.length <= BRIEF_NAME) return name
  const characters = [...name.slice(0, 2 * BRIEF_NAME + 2)]
  return characters.length <= BRIEF_NAME ? name : `${characters.slice(0, BRIEF_NAME).join('')}…`
}

export const TAKEN_SHOWN = 10
export const KEPT_SHOWN = 20

/** Rows that `pets copy` reads or writes together. */
export const ARCHIVED_ROWS = 1_000

export const LABEL_LENGTH = 200

/** The fewest characters of a passphrase. */
export const PASSPHRASE_LENGTH = 12

export const SESSION_MS = 43_200_000
/** In ms of inactivity. */
export const IDLE_MS = 1_800_000
export const SESSIONS_OF_ONE = 20
/** How far, in ms, the clock can be set back without ending sessions. */
export const STEP_BACK_MS = 300_000

/** How long after a change counts and the ledger are saved, in a single process. */
export const SAVE_AFTER_MS = 50
