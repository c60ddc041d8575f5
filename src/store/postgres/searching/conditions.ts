/** Conditions of SQL for the animals that a list has. */
import type { Choice, FindQuery } from '../../records.ts'
import { wordsOf } from '../../rules/fold.ts'
import type { Fold } from '../fold.ts'

/** Names that one statement compares, which takes about 50 ms. */
export const NAMES_PER_STEP = 5_000
/** The index is queried for this many of the words, the longest; names found are compared with all of them. */
const WORDS_ASKED = 3

/** The words are the first value, an array. A whole name also contains itself, which the index of trigrams can use. */
export function conditionOf(words: readonly string[], isWhole: boolean, fold: Fold): string {
  const name = fold('name')
  const pattern = (word: string) => `'%' || ${escaped(fold(word))} || '%'`
  const each = words.slice(0, WORDS_ASKED).map((_, n) => `${name} LIKE ${pattern(`($1::text[])[${n + 1}]`)}`)
  if (isWhole) return `${each} AND ${name} = ${fold('($1::text[])[1]')}`
  const all = `${name} LIKE ALL (ARRAY(SELECT ${pattern('word')} FROM unnest($1::text[]) AS word))`
  return [...each, ...(words.length > WORDS_ASKED ? [all] : [])].join(' AND ')
}

/** For a pattern of LIKE. */
export function escaped(text: string): string {
  return `regexp_replace(${text}, '([%_\\\\])', '\\\\\\1', 'g')`
}

export function bounds({ before, after }: Pick<FindQuery, 'before' | 'after'>, values: unknown[]): string[] {
  return [
    ...(before === undefined ? [] : [`id < $${values.push(before)}::bigint`]),
    ...(after === undefined || after === 'end' ? [] : [`id > $${values.push(after)}::bigint`]),
  ]
}

export function ofKind({ status, categoryId }: Omit<Choice, 'text'>, values: unknown[]): string[] {
  return [
    ...(status === undefined || status === 'removed'
      ? []
      : [status === 'none' ? 'status IS NULL' : `status = $${values.push(status)}`]),
    ...(categoryId === undefined ? [] : [`category_id = $${values.push(categoryId)}::bigint`]),
  ]
}

export function tableOf({ status }: Pick<Choice, 'status'>): string {
  return status === 'removed' ? 'removed_pets' : 'pets'
}

/** Conditions of the words, status and category; the words are the first value. */
export function chosen(choice: Choice, fold: Fold, values: unknown[]): string[] {
  const words = wordsOf(choice.text)
  const ofWords = words.length === 0 ? [] : [conditionOf(words, false, fold)]
  if (words.length > 0) values.push(words)
  return ['true', ...ofWords, ...ofKind(choice, values)]
}
