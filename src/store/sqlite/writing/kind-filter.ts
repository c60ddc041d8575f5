/**
 * The kinds of an import, that is names with categories, in a Bloom filter, whose memory does not grow with the file. A
 * kind that was added is always found. One in a thousand others is found too with a million kinds in it, seven in a
 * hundred with ten million; so callers look up what is found.
 */

/** 8 MiB, of which only the pages written take memory. Twice as much costs more time than it saves. */
const WORDS = 1 << 21
/** Only this much of a name is hashed, in UTF-16 units; some names are as long as a body. */
export const LETTERS = 64
/** The upper bits of a hash number the bits of all words. */
const UNUSED_BITS = 6

export class KindFilter {
  #words: Uint32Array | undefined
  /**
   * The two bits of the kind that was hashed last; fields, because an array for each kind takes longer than the hash.
   */
  #first = 0
  #second = 0

  /** Of a category the lower 32 bits count, here and below: numbers take a third of the time of bigints. */
  add(name: string, category: number): void {
    this.#words ??= new Uint32Array(WORDS)
    this.#hash(name, category)
    this.#words[this.#first >>> 5] = (this.#words[this.#first >>> 5] ?? 0) | (1 << this.#first)
    this.#words[this.#second >>> 5] = (this.#words[this.#second >>> 5] ?? 0) | (1 << this.#second)
  }

  mayHold(name: string, category: number): boolean {
    if (this.#words === undefined) return false
    this.#hash(name, category)
    return this.#has(this.#words, this.#first) && this.#has(this.#words, this.#second)
  }

  #has(words: Uint32Array, bit: number): boolean {
    return ((words[bit >>> 5] ?? 0) & (1 << bit)) !== 0
  }

  #hash(name: string, category: number): void {
    let [a, b] = [Math.imul(category, 0x9e3779b1), Math.imul(category, 0x85ebca77)]
    for (let i = 0; i < LETTERS && i < name.length; i += 1) {
      const unit = name.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b + unit, 0x5bd1e995) ^ (b >>> 15)
    }
    this.#first = spread(a) >>> UNUSED_BITS
    this.#second = spread(b) >>> UNUSED_BITS
  }
}

/** Each bit of the sum changes about half of the bits of the result. */
function spread(sum: number): number {
  const half = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return most ^ (most >>> 16)
}
