/**
 * The care of an embedded database as a whole: saved, put back and checked (open.ts). PostgreSQL has tools of its own
 * for it.
 */
import type { Clock } from '../common/clock.ts'

/** What a running service says of itself. */
export interface ServiceNote {
  readonly pid: number
  readonly version: string
  /** Unix ms. */
  readonly sinceMs: number
  readonly baseUrl: string
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
  readonly keys: number
  /** The latest instant that the database knows: a change, or the use of a key. */
  readonly latestMs: number | undefined
  /** The clock of a database server. */
  readonly clockMs: number | undefined
  /** Keys in force that have used most of their day, as the database has counted; at most a hundred. */
  readonly nearLimit: readonly NearLimit[]
}

interface NearLimit {
  readonly id: string
  readonly label: string
  readonly perDay: number
  readonly usedToday: number
}

/** How much a database holds. */
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
  /** A sentence for each thing that is worth knowing and not wrong. */
  readonly notes: readonly string[]
}

export interface BackupOptions {
  readonly clock: Clock
  /** Told how many bytes of how many are written. */
  readonly onProgress?: ((bytes: number, of: number) => void) | undefined
  /** Ends the work; nothing is left of it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Who would come back with a backup: the ids of keys and the names of people; undefined where the database that goes
 * cannot be read.
 */
export type Returning = { readonly keys: readonly string[]; readonly people: readonly string[] } | undefined

export interface RestoreOptions extends BackupOptions {
  /** Told, before anything is changed, who comes back that was revoked after the backup. */
  readonly onReturning: (who: Returning) => void
}

export interface Restored {
  readonly contents: Contents
  /** The name under which the database that was there is kept; undefined when there was none. */
  readonly aside: string | undefined
}

export interface BackupPlan {
  readonly folder: string
  readonly everyMs: number
  /** How many to keep. */
  readonly keep: number
  /** The number of a group that may read a new folder. */
  readonly fileGroup: number | undefined
}

export interface ScheduleOptions extends BackupPlan {
  readonly clock: Clock
  readonly onMade: (file: string, animals: number) => void
  readonly onFailed: (error: unknown) => void
}

/** Backups that a service makes by itself. */
export interface BackupSchedule {
  readonly everyMs: number
  readonly failures: number
  /** Why the last one failed; undefined if it did not. */
  readonly failure: string | undefined
  /** Unix ms, never later than now; undefined when there is none. */
  readonly lastSuccessMs: number | undefined
  start(): void
  /** One that is being made is given up. */
  close(): Promise<void>
}
