/** What the service and the thread that writes its file say to each other: one batch at a time, and its answer. */
import type { FlatPets } from './operations.ts'
import type { OperationName } from './writer.ts'

/** To be done in one transaction. */
export interface Batch {
  readonly creates: FlatPets
  readonly jobs: readonly (readonly [name: OperationName, args: readonly unknown[]])[]
  /** How long to wait for another process that is writing. */
  readonly patienceMs: number
}

/** An error as it is sent; `retryAfterS` makes it a StoreUnavailable. */
export interface SentError {
  readonly message: string
  readonly retryAfterS: number | undefined
}

export type Answer =
  | {
      readonly kind: 'committed'
      /** The count of changes before and after. */
      readonly from: bigint
      readonly to: bigint
      /** Of the animals created, which have consecutive ids. */
      readonly firstId: bigint
      readonly results: readonly ({ readonly value: unknown } | { readonly error: SentError })[]
    }
  /** Another process was writing all that time, and nothing was done. */
  | { readonly kind: 'busy' }
  /** Nothing was done. */
  | { readonly kind: 'failed'; readonly error: SentError }

/** What is wrong beside the batches; undefined when it is over. */
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
