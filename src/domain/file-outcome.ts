/** What an import or a sync has done, or why it did nothing, in words: for commands and the office alike. */
import { counted } from '../common/counted.ts'
import type { SyncKind } from '../rules/sync.ts'
import type { SyncOutcome, UndoResult } from '../store/sync.ts'

interface OutcomeFormat {
  readonly figure?: (n: number) => string
  readonly sold?: string
}

/** One word for each act of a sync, in this order. */
export const ACTS = [
  'added',
  'changed',
  'adopted',
  'restored',
  'left',
  'marked',
  'removed',
] as const satisfies SyncKind[]

export function actWord(act: SyncKind, { sold = 'sold' }: OutcomeFormat = {}): string {
  if (act === 'marked') return `set to ${sold}`
  if (act === 'left') return 'left the shelter'
  return act === 'adopted' ? 'recognised by name' : act
}

/** As in "2 added, 1 removed"; empty if nothing is done. */
export function changesText(counts: Readonly<Record<SyncKind, number>>, format: OutcomeFormat = {}): string {
  const { figure = String } = format
  const acts = ACTS.filter((act) => counts[act] > 0)
  return acts.map((act) => `${figure(counts[act])} ${actWord(act, format)}`).join(', ')
}

/** As in "2 animals imported, 1 invalid row and 3 here already skipped". */
export function importedText(
  {
    animals,
    badRows,
    duplicates = 0,
  }: { readonly animals: number; readonly badRows: number; readonly duplicates?: number },
  { done = 'imported', ...format }: OutcomeFormat & { readonly done?: string } = {},
): string {
  const { figure = String } = format
  const rows = badRows === 0 ? [] : [counted(badRows, 'invalid row', figure)]
  const leftOut = [...rows, ...(duplicates === 0 ? [] : [`${figure(duplicates)} here already`])].join(' and ')
  return `${counted(animals, 'animal', figure)} ${done}${leftOut === '' ? '' : `, ${leftOut} skipped`}`
}

/** What a person must agree to before a sync, as sentences. */
export function guardText({ touched, referenced, reassigned, first, pairs, vanished, vanishedAlike }: Guard): string {
  const sentences = []
  if (touched > referenced / 10) sentences.push(`${touched} of ${counted(referenced, 'animal')} would change or go.`)
  if (first !== undefined && reassigned > 0) {
    const example = `${first.reference} was ${first.before?.name} and is ${first.now.name} now`
    const stand = reassigned === 1 ? 'One reference stands' : `${reassigned} references stand`
    sentences.push(`${stand} for an animal of another name and category (${example}).`)
  }
  if (pairs.length > 0 && 2 * vanished > referenced) {
    const some = pairs.map(([before, now]) => `${before} is now ${now}`).join('; ')
    const like = `${vanished} animals are missing, and ${vanishedAlike} of them look like new rows (${some})`
    sentences.push(`${like}: ${describeRenumbering(pairs)}.`)
  }
  return sentences.join(' ')
}

type Guard = NonNullable<SyncOutcome['guard']>

const MEANING_WORDS = {
  available: 'available',
  pending: 'pending',
  sold: 'sold',
  none: 'without a status',
  gone: 'left the shelter',
} as const

/** As in "41 animals: 20 available, 8 pending, 10 sold, 3 left the shelter". */
export function figuresText({ meanings }: { readonly meanings: Readonly<Record<string, number>> }): string {
  const known = Object.entries(MEANING_WORDS).flatMap(([meaning, words]) => {
    const rows = meanings[meaning] ?? 0
    return rows === 0 ? [] : [[rows, words] as const]
  })
  const all = known.reduce((sum, [rows]) => sum + rows, 0)
  return `${counted(all, 'animal')}: ${known.map(([rows, words]) => `${rows} ${words}`).join(', ')}`
}

interface SkippedRows {
  readonly rows: number
  readonly lines: readonly number[]
}

export function skippedText({
  unit,
  skipped,
}: {
  readonly unit: 'line' | 'object'
  readonly skipped: Readonly<Record<'hidden' | 'header' | 'other' | 'skip', SkippedRows>>
}): readonly string[] {
  const reasons = {
    hidden: 'hidden in the sheet',
    header: 'the header row again',
    other: 'totals or other rows without an animal',
    skip: 'no animals, as the mapping says',
  } as const
  return Object.entries(reasons).flatMap(([reason, words]) => {
    const { rows, lines } = skipped[reason as keyof typeof reasons]
    const first = `${lines.join(', ')}${rows > lines.length ? ', …' : ''}`
    const were = rows === 1 ? `1 row is skipped (${unit} ${first})` : `${rows} rows are skipped (${unit}s ${first})`
    return rows === 0 ? [] : [`${were}: ${words}.`]
  })
}

export function duplicatesText(duplicates: number, animals: number): string {
  return `${duplicates} of ${animals} look like animals that are already here; nothing was imported`
}

/** As in "3 animals removed, 1 restored as before; 2 changed since stay as they are": what an undo does or has done. */
export function undoneText(
  { removed, putBack = 0, kept }: Omit<UndoResult, 'keptIds'>,
  format: OutcomeFormat = {},
): string {
  const { figure = String } = format
  const back = putBack === 0 ? '' : `, ${figure(putBack)} restored as before`
  const rest = kept === 0 ? '' : `; ${figure(kept)} changed since ${kept === 1 ? 'stays as it is' : 'stay as they are'}`
  return `${counted(removed, 'animal', figure)} removed${back}${rest}`
}

function describeRenumbering(pairs: readonly (readonly [before: string, now: string])[]): string {
  const all = (isSo: (before: string, now: string) => boolean) => pairs.every(([before, now]) => isSo(before, now))
  const bare = (text: string) => text.replace(/\.0$/, '').replace(/^0+/, '')
  const digits = (text: string) => text.replace(/\D/g, '')
  if (all((before, now) => before.endsWith('.0') !== now.endsWith('.0') && bare(before) === bare(now))) {
    return 'a spreadsheet has made numbers of them, with .0 behind and without leading zeros'
  }
  if (all((before, now) => /^0/.test(before) && before.replace(/^0+/, '') === now)) return 'the leading zeros are gone'
  if (all((before, now) => /^0/.test(now) && now.replace(/^0+/, '') === before)) return 'leading zeros have been added'
  if (all((before, now) => digits(before) !== '' && digits(before) === digits(now))) {
    return 'the text next to their digits has changed'
  }
  return 'the other system seems to have given new references'
}
