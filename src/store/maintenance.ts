/** The care of an embedded database: saved, put back and checked (open.ts). PostgreSQL has tools of its own for it. */
import { type Clock, DAY_MS } from '../common/clock.ts'
import { NEAR_LIMIT, SOON_MS } from '../rules/keys.ts'
import { type Sql, table } from './sql.ts'

/** What a running service says of itself. */
export interface ServiceNote {
  readonly database: string
  readonly pid: number
  readonly version: string
  /** Unix ms. */
  readonly sinceMs: number
  readonly baseUrl: string
  /** Base address of the public port itself, also behind a proxy. */
  readonly listensAt: string
  readonly operatorUrl?: string | undefined
  /** As people see it, without a trailing slash. */
  readonly officeUrl?: string | undefined
}

/** What an operator asks of a database first; what cannot be known without changing anything is undefined. */
export interface Examination {
  readonly schema: number
  readonly bytes: number
  /** The write-ahead log of an embedded database, and the room on its disk. */
  readonly logBytes: number | undefined
  readonly freeBytes: number | undefined
  readonly animals: number
  readonly keys: number
  /** The latest instant that the database knows: a change, or the use of a key. */
  readonly latestMs: number | undefined
  /** The clock of a database server. */
  readonly clockMs: number | undefined
  /** Keys in force that have used most of their day, as the database has counted; at most a hundred. */
  readonly nearLimit: readonly NearLimit[]
  /** Keys in force that end soon, the next first; at most a hundred. */
  readonly ending: readonly EndingKey[]
}

const ENDING = table({
  id: 'text',
  label: 'text',
  /** Unix ms. */
  endsMs: ['int', 'expires_at_ms'],
})
type EndingKey = ReturnType<typeof ENDING.row>

const NEARING = table({ id: ['text', 'keys.id'], label: 'text', perDay: 'int', usedToday: ['int', 'day_count'] })
type NearLimit = ReturnType<typeof NEARING.row>

/** Backups are copied elsewhere at least so often, or it is late. */
export const COPY_LATE_MS = DAY_MS
const MAX_KEYS = 100

/** The keys that are near their limit, the nearest first, and those that end soon. */
export async function keysToWatch(sql: Sql, nowMs: number): Promise<Pick<Examination, 'nearLimit' | 'ending'>> {
  // As isInForce has it, of keys that may be many.
  const isInForce = `revoked_at_ms IS NULL AND coalesce(expires_at_ms > ${nowMs}, true)`
  const nearLimit = `FROM keys JOIN counters ON subject = lineage
    WHERE day = ${Math.floor(nowMs / DAY_MS)} AND day_count >= ${NEAR_LIMIT} * per_day AND ${isInForce}
    ORDER BY 1.0 * day_count / per_day DESC, keys.id LIMIT ${MAX_KEYS}`
  const ending = `FROM keys WHERE expires_at_ms <= ${nowMs + SOON_MS} AND ${isInForce}
    ORDER BY expires_at_ms, id LIMIT ${MAX_KEYS}`
  return { nearLimit: await NEARING.select(sql, nearLimit), ending: await ENDING.select(sql, ending) }
}

export interface Contents {
  readonly animals: number
  readonly removed: number
  readonly keys: number
  readonly entries: number
}

export interface Inspection {
  readonly contents: Contents
  /** A sentence for each thing that is wrong. */
  readonly damage: readonly string[]
}

export interface BackupOptions {
  readonly clock: Clock
  /** Told how many bytes of how many are written. */
  readonly onProgress?: ((bytes: number, of: number) => void) | undefined
  /** Ends the work; nothing is left of it. */
  readonly signal?: AbortSignal | undefined
}

/** Keys (ids) and people (names) who would come back with a backup; undefined if the old database cannot be read. */
export type Returning = { readonly keys: readonly string[]; readonly people: readonly string[] } | undefined

export interface RestoreOptions extends BackupOptions {
  /** Whether a backup without animals may take the place of a database that has some. */
  readonly mayBeEmpty: boolean
  /** Told, before anything is changed, who comes back that was revoked after the backup. */
  readonly onReturning: (who: Returning) => void
}

export interface RestoreResult {
  readonly contents: Contents
  /** The name under which the database that was there is kept; undefined when there was none. */
  readonly aside: string | undefined
}

/** What a backup contains; `isOwn` is whether it is of the database that it was compared with. */
export interface SeenBackup {
  readonly isOwn: boolean
  readonly animals: number
}

/** The end of the names of backups that are not complete yet, and of their journals. */
export const PARTIAL = /\.[0-9a-f]{16}\.partial(?:-journal)?$/
