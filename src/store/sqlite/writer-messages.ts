/** The messages between the service and its writer thread: one batch at a time, and its answer. */
import type { FlatPets } from './flat-pets.ts'
import type { OperationName } from './writer.ts'

/** To be done in one transaction. */
export interface Batch {
  readonly creates: FlatPets
  readonly jobs: readonly (readonly [name: OperationName, args: readonly unknown[]])[]
  /** How long to wait for another process that is writing. */
  readonly patienceMs: number
}

/** An error as it is sent; with `retryAfterS` it is a StoreUnavailable. */
export interface SentError {
  readonly message: string
  readonly retryAfterS: number | undefined
}

export type Answer =
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
  readonly port: MessagePort
}

/** Closes the file and ends the thread. */
export const CLOSE = 'close'
