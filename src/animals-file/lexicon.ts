/** Finds words and phrases of all languages in texts, the longest first. */
import { fold } from '../common/fold.ts'
import { wordsFor } from './languages/language.ts'

const MOST_WORDS = 6
const LEAST_PREFIX = 3
const SHORTEST = 2
/** In UTF-16 units. A longer text is neither a header nor a known word. */
const LONGEST_TEXT = 200
const LONGEST_WORD = 40

/** The folded words of a text; none if it is too long. */
export function wordsOf(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return []
  return fold(text).match(/[\p{L}\p{N}']+|#/gu) ?? []
}

export function phrasesOf(use: 'yes' | 'no' | 'total'): ReadonlySet<string> {
  const phrases = wordsFor(use).flatMap((words) => words.split(','))
  return new Set(phrases.map((one) => wordsOf(one).join(' ')))
}

export type Phrase<T> = { readonly meaning: T | undefined; readonly words: readonly string[] }

export class Lexicon<T> {
  readonly #phrases = new Map<string, T>()
  readonly #beginnings = new Map<string, T>()

  /** Adds phrases separated by commas. An existing phrase keeps its meaning. */
  add(phrases: string, meaning: T): void {
    for (const phrase of phrases.split(',')) {
      const key = wordsOf(phrase).join(' ')
      const into = phrase.trim().endsWith('*') ? this.#beginnings : this.#phrases
      if (key !== '' && !into.has(key)) into.set(key, meaning)
    }
  }

  get(words: readonly string[]): T | undefined {
    const text = words.join(' ')
    const exact = this.#phrases.get(text)
    if (exact !== undefined) return exact
    const last = text.lastIndexOf(' ') + 1
    for (let end = Math.min(text.length, last + LONGEST_WORD); end > last; end -= 1) {
      const meaning = this.#beginnings.get(text.slice(0, end))
      if (meaning !== undefined) return meaning
    }
    return undefined
  }

  /** Splits a text into the longest known phrases. An unknown word has no meaning. */
  partsOf(words: readonly string[]): readonly Phrase<T>[] {
    const parts: Phrase<T>[] = []
    for (let at = 0; at < words.length; ) {
      let part = words.slice(at, at + MOST_WORDS)
      while (part.length > 1 && this.get(part) === undefined) part = part.slice(0, -1)
      parts.push({ meaning: this.get(part), words: part })
      at += part.length
    }
    return parts
  }
}

/** Splits a compound such as "animalname". Undefined unless all its words are known. */
export function splitWord(word: string, isKnown: (part: string) => boolean): readonly string[] | undefined {
  if (word.length > LONGEST_WORD) return undefined
  for (let end = word.length - SHORTEST; end >= LEAST_PREFIX; end -= 1) {
    const first = word.slice(0, end)
    if (!isKnown(first)) continue
    const rest = word.slice(end)
    const isWhole = isKnown(rest) && (rest.length > SHORTEST || ['id', 'no', 'nr'].includes(rest))
    const others = isWhole ? [rest] : splitWord(rest, isKnown)
    if (others !== undefined) return [first, ...others]
  }
  return undefined
}
