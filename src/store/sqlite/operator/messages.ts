/**
 * What the service and the thread of its operator's side say to each other (thread.ts, worker.ts): calls and their
 * answers, and batches of an import, which the thread asks for one at a time.
 */
import type { SentError } from '../file/sent-error.ts'

export interface OperatorData {
  readonly path: string
  /** The file that the service has opened at the path (../file/identity.ts). */
  readonly fileId: string | undefined
  readonly port: MessagePort
}

/** A call of a method of a subject (../../operator-side.ts). The first argument of an import stays with the service. */
export interface Call {
  readonly kind: 'call'
  readonly id: number
  readonly subject: string
  readonly method: string
  readonly args: readonly unknown[]
  readonly isOfBatches: boolean
}

/** The next batch of an import; at the end its options again, which the reading of the file has completed. */
export type Next = { readonly kind: 'next'; readonly id: number } & (
  | { readonly batch: readonly unknown[] }
  | { readonly end: unknown }
  | { readonly failed: true }
)

export type ToThread = Call | Next | { readonly kind: 'close' }

export type ToService =
  | { readonly kind: 'wanted'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
