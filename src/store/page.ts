/** A page of a list as one text, made from the texts of its animals. */
import type { PetPage, PetText } from './store.ts'

/** `pets` holds one more than `limit` when more animals follow. */
export function toPage(pets: readonly PetText[], limit: number): PetPage {
  const shown = pets.slice(0, limit)
  return {
    json: `[${shown.map((pet) => pet.json).join(',')}]`,
    nextBefore: pets.length > limit ? shown.at(-1)?.id.toString() : undefined,
  }
}
