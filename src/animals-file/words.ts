/**
 * The headings and words that are understood without `--map`: exact rules, compared as `foldWord` writes them. What is
 * not here is not understood; no word is taken for another because its letters are alike.
 */
import type { PetStatus } from '../contract/schemas.ts'

/** Other headings of a field's column. They count only where exactly one column of the file has one of them. */
export const HEADINGS = {
  name: ['animal name', 'pet name'],
  categoryId: ['category', 'species', 'species name', 'animal species', 'type', 'animal type'],
  status: ['animal status', 'adoption status', 'availability', 'outcome', 'outcome type'],
} as const

export const STATUS_WORDS: Readonly<Record<PetStatus, readonly string[]>> = {
  available: ['adoptable', 'available for adoption', 'for adoption', 'ready for adoption', 'up for adoption'],
  pending: ['adoption pending', 'pending adoption', 'foster', 'fostered', 'in foster', 'hold', 'on hold', 'reserved'],
  sold: ['adopted', 'adoption'],
}
