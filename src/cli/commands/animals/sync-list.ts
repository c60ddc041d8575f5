/** A sync of one list: how it is read, and what is said of its outcome. */
import { BadRows, badRows, FileImport } from '../../../animals-file/import.ts'
import { BadMapping, type Mapping } from '../../../animals-file/mapping.ts'
import { mappingOf, UnknownMap } from '../../../animals-file/named-maps.ts'
import { AnimalsFile } from '../../../animals-file/read.ts'
import { UnreadableFile } from '../../../animals-file/row.ts'
import { printable } from '../../../common/printable.ts'
import type { Store } from '../../../store/store.ts'
import type { SyncChange, SyncOptions, SyncOutcome, SyncRefusal } from '../../../store/sync.ts'
import { CommandFailed } from '../../options.ts'
import { categoriesOf } from './file.ts'

interface List {
  readonly chunks: AsyncIterable<Buffer>
  readonly rowLimit: number
  /** The heading of the references. */
  readonly reference: string
  /** As `mappingOf` takes it. */
  readonly map: readonly string[]
  /** Whether names of categories that are not there are given a number. */
  readonly namesNew: boolean
}

interface Told {
  /** Called when the list has been read, to its end or not. */
  readonly onRead: (reading: FileImport) => void
  readonly hint: (text: string) => void
}

interface SyncedList {
  /** What was done. */
  readonly text: string
  readonly mapping: Mapping
  readonly guess: readonly string[]
}

/** Throws CommandFailed, or what the store throws. */
export async function syncList(
  store: Pick<Store, 'categories' | 'sync'>,
  { chunks, rowLimit, reference, map, namesNew }: List,
  asked: Omit<SyncOptions, 'newCategories'>,
  { onRead, hint }: Told,
): Promise<SyncedList> {
  let reading: FileImport | undefined
  try {
    const mapping = await mappingOf(map)
    const categories = await categoriesOf(store.categories, namesNew)
    const doing = { ...asked, newCategories: categories.added }
    const file = new AnimalsFile(chunks, { rowLimit, withIds: false, mapping, reference, categories })
    const read = new FileImport(file, { skipInvalid: false })
    reading = read
    const outcome = await store.sync.run(read.listed(), doing).finally(() => onRead(read))
    const told = tell(outcome, doing, hint)
    return { text: `${asked.dryRun ? linesOf(outcome) : ''}${told}`, mapping, guess: read.guess }
  } catch (error) {
    if (error instanceof BadRows && reading !== undefined) {
      throw new CommandFailed(`Nothing was changed: ${badRows(reading)}. Correct them and try again.`)
    }
    if (error instanceof BadMapping || error instanceof UnknownMap || error instanceof UnreadableFile) {
      throw new CommandFailed(error.message)
    }
    throw error
  }
}

function linesOf({ changes, counts }: SyncOutcome): string {
  const more = Object.values(counts).reduce((sum, n) => sum + n, 0) - changes.length
  const lines = changes.map((change) => `${toLine(change)}\n`)
  return [...lines, ...(more > 0 ? [`… and ${more} more\n`] : [])].join('')
}

/** Describes the outcome. Throws CommandFailed if the animals should agree with the list now, and do not. */
function tell(outcome: SyncOutcome, { dryRun, missing, most, newCategories }: SyncOptions, hint: Told['hint']): string {
  const { n, counts, alike, unlisted, refusal } = outcome
  if (refusal !== undefined) {
    const sentence = refusalText(refusal, alike, most)
    if (!dryRun) throw new CommandFailed(sentence)
    return `${parts(outcome)}\n${sentence}\n`
  }
  if (alike > 0 && counts.added > 0) {
    hint(`${alike} of the added look like animals that are here, but which is which is not clear.\n`)
  }
  if (missing === 'keep' && unlisted > 0) {
    hint(`Not in the list any more: ${animals(unlisted)}; --missing says what becomes of them.\n`)
  }
  const stay = newCategories?.size ? '; the names of categories stay' : ''
  if (n !== undefined) hint(`\`pets imports undo ${n}\` undoes this${stay}.\n`)
  const named = [...(newCategories ?? [])].map(([id, label]) => `${id} ${printable(label)}`).join(', ')
  const naming = named === '' ? '' : ` Categories ${dryRun ? 'that would be named' : 'named'}: ${named}.`
  return `${parts(outcome)}${naming}${dryRun ? ' Nothing was changed.' : ''}\n`
}

/** As in "120 rows: 2 added, 1 removed." */
function parts({ rows, counts }: SyncOutcome): string {
  const words = {
    added: 'added',
    adopted: 'adopted',
    changed: 'changed',
    restored: 'restored',
    marked: 'marked sold',
    removed: 'removed',
  }
  const done = Object.entries(words).flatMap(([kind, word]) => {
    const n = counts[kind as keyof typeof words]
    return n === 0 ? [] : [`${n} ${word}`]
  })
  const list = rowsText(rows)
  return done.length === 0 ? `${list}, and the animals agree with them.` : `${list}: ${done.join(', ')}.`
}

function refusalText(refusal: SyncRefusal, alike: number, most: number): string {
  switch (refusal.why) {
    case 'renumbered': {
      const pairs = refusal.pairs.map(([before, now]) => `${printable(before)} is now ${printable(now)}`)
      return `${refusal.vanished} animals of the list are not in it any more, and ${refusal.alike} of them look like new rows (${pairs.join('; ')}): the other system seems to have given new references; nothing was changed. If that is right, --yes goes on.`
    }
    case 'alike':
      return `${alike} new rows look like animals that are here already; nothing was changed. --adopt lets ${refusal.adoptable} of them be these animals, --no-adopt adds them all.`
    case 'too many':
      return `${refusal.touched} of ${animals(refusal.referenced)} would change or go, more than ${percent(most)}; nothing was changed. If that is right, do it with --yes.`
  }
}

function toLine({ kind, id, reference, now, before }: SyncChange): string {
  const word = {
    added: 'add',
    adopted: 'adopt',
    changed: 'change',
    restored: 'restore',
    marked: 'change',
    removed: 'remove',
  }[kind]
  const value = (after: unknown, was: unknown) =>
    before === undefined || after === was ? `${after}` : `${was} -> ${after}`
  return [
    word,
    id ?? '-',
    printable(reference),
    printable(value(now.name, before?.name)),
    value(now.categoryId, before?.categoryId),
    value(now.status ?? '-', before?.status ?? '-'),
  ].join('  ')
}

function rowsText(n: number): string {
  return n === 1 ? '1 row' : `${n} rows`
}

function animals(n: number): string {
  return n === 1 ? '1 animal' : `${n} animals`
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export const SHARE_RULE = 'It must be a share from 0% to 100%.'

/** A share such as 10%, from 0 to 1; undefined if it is none. */
export function toShare(text: string): number | undefined {
  const [, n] = /^(\d{1,3})%$/.exec(text) ?? []
  return n === undefined || Number(n) > 100 ? undefined : Number(n) / 100
}
