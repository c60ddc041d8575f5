/** How long and how many, on every engine: what is kept, what holds, and what is shown of what is long. */
import { DAY_MS } from '../../common/clock.ts'

/**
 * Removed animals can be restored for so long, and are purged then: when a purge has looked on so many days besides the
 * one on which it first saw them removed. A clock that is wrong for a while shows days that do not come again, and so
 * purges nothing.
 */
export const RESTORABLE_DAYS = 30
export const RESTORABLE_MS = RESTORABLE_DAYS * DAY_MS

/**
 * So many forms that added an animal are known, the newest: one that is sent again is not added again. A number and not
 * a time, which one wrong reading of the clock would let pass.
 */
export const FORMS_KEPT = 1_000

/**
 * Of a long name, lists and the outcome of changing many animals have so many characters: a thousand names as long as
 * they may be would take 60 MB. One more is read, which tells that a name is longer.
 */
export const BRIEF_NAME = 200
/** The values of a journal entry without a long name are shorter, in bytes of JSON. */
export const LONG_VALUES_BYTES = 2_048

/** The number of ids that are named where ids of an import are taken. */
export const TAKEN_SHOWN = 10

/** Rows of a table that `pets copy` reads or writes at once. */
export const ARCHIVED_ROWS = 1_000

/** A session ends after so long, whatever is done in it. */
export const SESSION_MS = 43_200_000
/** A session in which nobody does anything ends after so long. */
export const IDLE_MS = 1_800_000
/** One person's sessions; one more ends the oldest. */
export const SESSIONS_OF_ONE = 20
