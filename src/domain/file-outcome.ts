/** What an import or a sync has done, or why it did nothing, in words: for commands and the office alike. */
import type { SyncKind } from '../rules/sync.ts'
import type { SyncOutcome, Undone } from '../store/sync.ts'

/** What a sync did with animals, in the order in which it is told. */
export const SYNCED: Readonly<Record<SyncKind, string>> = {
  added: 'added',
  adopted: 'adopted',
  changed: 'changed',
  restored: 'restored',
  marked: 'marked sold',
  removed: 'removed',
}

/** Why a sync did nothing, without what can be done about it. Undefined if it was not refused. */
export function syncRefusal({ refusal, alike }: SyncOutcome, maxChangedShare: number): string | undefined {
  switch (refusal?.why) {
    case undefined:
      return undefined
    case 'renumbered': {
      const { vanished, alike, pairs } = refusal
      const some = pairs.map(([before, now]) => `${before} is now ${now}`)
      return `${vanished} animals are not in the list any more, and ${alike} of them look like new rows (${some.join('; ')}): ${describeRenumbering(pairs)}`
    }
    case 'reassigned': {
      const { animals, first } = refusal
      const example = `${first.reference} was ${first.before?.name} and is ${first.now.name} now`
      return `${animals} references stand for animals of another name and category (${example}): these numbers were given to other animals`
    }
    case 'alike':
      return `${alike} new rows look like animals that are here already`
    case 'too many':
      return `${refusal.touched} of ${countOf(refusal.referenced)} would change or go, more than ${Math.round(maxChangedShare * 100)}%`
  }
}

export function duplicatesText(duplicates: number, animals: number): string {
  return `${duplicates} of ${animals} look like animals that are already here`
}

/** As in "3 animals removed, 1 put back as they were; 2 animals changed or removed since stayed as they are". */
export function undoneText({ removed, putBack = 0, kept }: Omit<Undone, 'keptIds'>): string {
  const back = putBack === 0 ? '' : `, ${putBack} put back as they were`
  const rest = kept === 0 ? '' : `; ${countOf(kept)} changed or removed since the import stayed as they are`
  return `${countOf(removed)} removed${back}${rest}`
}

function countOf(animals: number): string {
  return animals === 1 ? '1 animal' : `${animals} animals`
}

/** Says how the references of the same animals differ from those of the previous list. */
export function describeRenumbering(pairs: readonly (readonly [before: string, now: string])[]): string {
  const all = (isSo: (before: string, now: string) => boolean) => pairs.every(([before, now]) => isSo(before, now))
  const bare = (text: string) => text.replace(/\.0$/, '').replace(/^0+/, '')
  const digits = (text: string) => text.replace(/\D/g, '')
  if (all((before, now) => before.endsWith('.0') !== now.endsWith('.0') && bare(before) === bare(now))) {
    return 'a spreadsheet has made numbers of them, with .0 behind and without leading zeros'
  }
  if (all((before, now) => /^0/.test(before) && before.replace(/^0+/, '') === now)) return 'the leading zeros are gone'
  if (all((before, now) => /^0/.test(now) && now.replace(/^0+/, '') === before)) return 'leading zeros have been added'
  if (all((before, now) => digits(before) !== '' && digits(before) === digits(now))) {
    return 'what stands beside their digits has changed'
  }
  return 'the other system seems to have given new references'
}
