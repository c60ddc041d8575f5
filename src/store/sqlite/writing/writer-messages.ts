/** The messages between the service and its writer thread: one batch at a time, and the reply to it. */
import type { FlatPets } from '../rows/pets.ts'
import type { Creator } from './pets.ts'
import type { WriteName } from './writer.ts'

/** To be done in one transaction. */
export interface Batch {
  readonly creates: FlatPets
  readonly creators: readonly Creator[]
  /** Unix time in minutes. */
  readonly minute: number
  readonly writes: readonly (readonly [name: WriteName, args: readonly unknown[]])[]
  /** How long to wait for another process that is writing. */
  readonly patienceMs: number
}

/** An error as it is sent. Of a bug the message is its stack. */
export interface SentError {
  readonly kind: 'unavailable' | 'unusable' | 'session ended' | 'bug'
  readonly message: string
  /** In seconds, if it is unavailable. */
  readonly retryAfterS?: number
  /** SQLite's code, if it is SQLite's failure. */
  readonly errcode?: number | undefined
}

export type Reply =
  | {
      readonly kind: 'committed'
      /** The change counter before and after. */
      readonly from: bigint
      readonly to: bigint
      /** The first id of the created animals, whose ids are consecutive. */
      readonly firstId: bigint
      readonly results: readonly ({ readonly value: unknown } | { readonly error: SentError })[]
    }
  /** Another process was writing the whole time, and nothing was done. */
  | { readonly kind: 'busy' }
  /** Nothing was done. */
  | { readonly kind: 'failed'; readonly error: SentError }

/** Trouble apart from the batches; undefined when it is over. */
export interface Trouble {
  readonly kind: 'trouble'
  readonly trouble: string | undefined
}

export interface WriterData {
  readonly path: string
  /** The file that the service has opened at the path (identity.ts). */
  readonly fileId: string | undefined
  readonly port: MessagePort
}

/** Closes the file and ends the thread. */
export const CLOSE = 'close'
