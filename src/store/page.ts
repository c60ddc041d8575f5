/** A page of a list, assembled from the texts of its animals. */
import type { PetJson, PetPage } from './store.ts'

/** From this size on, a page consists of pieces, so that long names are not copied. */
const LONGEST_TEXT = 65_536

/** Longer texts are separate pieces, which pages share. In UTF-16 units. */
const LONG = 1_000

/** The cached form of an animal: a long one as bytes. */
export function toPaged({ id, json }: PetJson): PetJson<string | Buffer> {
  return isLong(json) ? { id, json: Buffer.from(json) } : { id, json }
}

export function isLong(json: string): boolean {
  return json.length > LONG
}

/** `pets` contains one more than `limit` if more animals follow. */
export function toPage(pets: readonly PetJson<string | Buffer>[], limit: number): PetPage {
  const page = pets.slice(0, limit)
  return {
    json: page.reduce((length, { json }) => length + json.length, 0) > LONGEST_TEXT ? toPieces(page) : toText(page),
    nextBefore: pets.length > limit ? page.at(-1)?.id.toString() : undefined,
  }
}

function toText(pets: readonly PetJson<string | Buffer>[]): string {
  return `[${pets.map(({ json }) => json.toString()).join(',')}]`
}

/** Animals as bytes are shared; the text between two of them is one piece. */
function toPieces(pets: readonly PetJson<string | Buffer>[]): readonly Buffer[] {
  const pieces: Buffer[] = []
  let between = '['
  for (const [index, { json }] of pets.entries()) {
    if (index > 0) between += ','
    if (typeof json === 'string' && !isLong(json)) between += json
    else {
      pieces.push(Buffer.from(between), typeof json === 'string' ? Buffer.from(json) : json)
      between = ''
    }
  }
  pieces.push(Buffer.from(`${between}]`))
  return pieces
}
