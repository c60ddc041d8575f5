/** A page of a list as one text, whether the store gives it whole or in pieces. */
import type { PetPage } from '../../../src/store/store.ts'

export function textOf({ json }: PetPage): string {
  return typeof json === 'string' ? json : Buffer.concat(json).toString()
}
