/** A page of a list as JSON text, made from the texts of its animals. */
import type { PetPage, PetText } from './store.ts'

/** From this length on a page is made in pieces of about this length, so that no single text or buffer grows with it. */
const PIECE_BYTES = 65_536

/** `pets` holds one more than `limit` when more animals follow. */
export function toPage(pets: readonly PetText[], limit: number): PetPage {
  const shown = pets.slice(0, limit)
  return {
    json: join(shown),
    nextBefore: pets.length > limit ? shown.at(-1)?.id.toString() : undefined,
  }
}

function join(pets: readonly PetText[]): string | readonly Buffer[] {
  const pieces: Buffer[] = []
  let text = '['
  for (const [index, { json }] of pets.entries()) {
    text += index === 0 ? json : `,${json}`
    if (text.length < PIECE_BYTES) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  text += ']'
  return pieces.length === 0 ? text : [...pieces, Buffer.from(text)]
}
