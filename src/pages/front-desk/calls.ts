/** What the desk gives to each of its parts: a client of the service, and how to report a failure. */
import type { Answered, PetAdoption } from 'pet-adoption-client'

export interface Desk {
  /** Asks the service; the gauge follows. Closing the desk aborts the signal, and the call fails with AbortError. */
  readonly call: <T>(ask: (client: PetAdoption, signal: AbortSignal) => Promise<Answered<T>>) => Promise<T>
  /** A failed call as a sentence for people; empty when the desk was closed, which says why by itself. */
  readonly explain: (error: unknown) => string
}
