/** Backing up, restoring and checking a SQLite database (open.ts). PostgreSQL has its own tools. */
import { type Clock, DAY_MS } from '../common/clock.ts'
import { NEAR_LIMIT, SOON_MS } from '../rules/keys.ts'
import { type Sql, table } from './sql.ts'

export interface ServiceNote {
  readonly database: string
  readonly pid: number
  readonly version: string
  readonly sinceMs: number
  readonly baseUrl: string
  /** Base address of the public port itself, also behind a proxy. */
  readonly listensAt: string
  readonly operatorUrl?: string | undefined
  readonly officeUrl?: string | undefined
}

/** The first facts that an operator asks for. Unknown facts are undefined. */
export interface Examination {
  readonly schema: number
  readonly bytes: number
  /** The write-ahead log of a SQLite database, and the free space on its disk. */
  readonly logBytes: number | undefined
  readonly freeBytes: number | undefined
  readonly animals: number
  readonly keys: number
  /** The latest instant in the database: a change, or the use of a key. */
  readonly latestMs: number | undefined
  readonly clockMs: number | undefined
  readonly nearLimit: readonly NearLimit[]
  readonly ending: readonly EndingKey[]
}

const ENDING = table({
  id: 'text',
  label: 'text',
  endsMs: ['int', 'expires_at_ms'],
})
type EndingKey = ReturnType<typeof ENDING.row>

const NEARING = table({ id: ['text', 'keys.id'], label: 'text', perDay: 'int', usedToday: ['int', 'day_count'] })
type NearLimit = ReturnType<typeof NEARING.row>

export const COPY_LATE_MS = DAY_MS
const MAX_KEYS = 100

const FACTS = table({
  keys: ['int', 'count(*)'],
  usedMs: ['int?', 'max(coalesce(last_used_at_ms, created_at_ms))'],
  changedMs: ['int?', '(SELECT max(at_ms) FROM journal)'],
})

/** What both engines are asked in the same SQL. */
export async function examineKeys(sql: Sql, nowMs: number) {
  const { keys, usedMs = 0, changedMs = 0 } = await FACTS.only(sql, 'FROM keys')
  const isInForce = `revoked_at_ms IS NULL AND coalesce(expires_at_ms > ${nowMs}, true)`
  const nearLimit = `FROM keys JOIN counters ON subject = lineage
    WHERE day = ${Math.floor(nowMs / DAY_MS)} AND day_count >= ${NEAR_LIMIT} * per_day AND ${isInForce}
    ORDER BY 1.0 * day_count / per_day DESC, keys.id LIMIT ${MAX_KEYS}`
  const ending = `FROM keys WHERE expires_at_ms <= ${nowMs + SOON_MS} AND ${isInForce}
    ORDER BY expires_at_ms, id LIMIT ${MAX_KEYS}`
  const latestMs = Math.max(usedMs, changedMs) || undefined
  return { keys, latestMs, nearLimit: await NEARING.select(sql, nearLimit), ending: await ENDING.select(sql, ending) }
}

export interface Contents {
  readonly animals: number
  readonly removed: number
  readonly keys: number
  readonly entries: number
}

export interface Inspection {
  readonly contents: Contents
  readonly damage: readonly string[]
}

export interface BackupOptions {
  readonly clock: Clock
  readonly onProgress?: ((bytes: number, of: number) => void) | undefined
  /** Ends the work, which removes its files. */
  readonly signal?: AbortSignal | undefined
}

/** Keys (ids) and people (names) whose access a backup restores; undefined if the old database cannot be read. */
export type Returning = { readonly keys: readonly string[]; readonly people: readonly string[] } | undefined

export interface RestoreOptions extends BackupOptions {
  readonly mayBeEmpty: boolean
  readonly onReturning: (who: Returning) => void
}

export interface RestoreResult {
  readonly contents: Contents
  readonly aside: string | undefined
}

/** `isOwn`: the backup is of the database with which it was compared. */
export interface SeenBackup {
  readonly isOwn: boolean
  readonly animals: number
}

/** The end of the names of incomplete backups and their journals. */
export const PARTIAL = /\.[0-9a-f]{16}\.partial(?:-journal)?$/
