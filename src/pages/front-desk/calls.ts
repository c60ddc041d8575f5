/** What the desk gives each of its parts: a client of the service, and a way to report failures. */
import type { Answered, PetAdoption } from 'pet-adoption-client'

export interface Desk {
  /**
   * Calls the service and updates the gauge. Closing the desk aborts the signal, and the call fails with AbortError.
   */
  readonly call: <T>(ask: (client: PetAdoption, signal: AbortSignal) => Promise<Answered<T>>) => Promise<T>
  /** A failed call as a sentence; empty if the desk was closed, which explains itself. */
  readonly explain: (error: unknown) => string
}
