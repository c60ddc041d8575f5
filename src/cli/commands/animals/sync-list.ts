/** A sync of one list: how it is read, and what is said of its outcome. */
import { categoriesFor } from '../../../animals-file/categories.ts'
import { BadRows, badRows, FileImport } from '../../../animals-file/import.ts'
import type { Mapping } from '../../../animals-file/mapping.ts'
import { AnimalsFile } from '../../../animals-file/read.ts'
import { howChanged } from '../../../animals-file/repeats.ts'
import { UnreadableFile } from '../../../animals-file/row.ts'
import { printable } from '../../../common/printable.ts'
import { NAMING } from '../../../domain/keys.ts'
import type { Store } from '../../../store/store.ts'
import type { SyncChange, SyncOptions, SyncOutcome } from '../../../store/sync.ts'
import type { Cli } from '../../cli.ts'
import { CommandFailed } from '../../options.ts'
import { mappingIn, questionText } from './file.ts'

interface List {
  readonly chunks: AsyncIterable<Buffer>
  readonly rowLimit: number
  /** The file's name. */
  readonly source: string
  /** The heading of the references; undefined for the one that looks like it. */
  readonly reference: string | undefined
  /** As `mappingOf` takes it. */
  readonly map: readonly string[]
  readonly category: string | undefined
  /** Whether names of categories that are not there are given a number. */
  readonly namesNew: boolean
}

interface SyncedList {
  /** What was done, or would be. */
  readonly text: string
  /** Why it was not done. */
  readonly refusal: string | undefined
}

/** Throws CommandFailed, or what the store throws. */
export async function syncList(
  cli: Cli,
  store: Pick<Store, 'categories' | 'sync'>,
  { chunks, rowLimit, source, reference, map, category, namesNew }: List,
  asked: Omit<SyncOptions, 'newCategories'>,
  onRead: (reading: FileImport, mapping: Mapping) => void,
): Promise<SyncedList> {
  const mapping = await mappingIn(cli, map, category)
  const categories = await categoriesFor(store.categories, namesNew, NAMING)
  const doing = { ...asked, newCategories: categories.added }
  const options = { rowLimit, withIds: false, mapping, isSync: true, reference, categories, source }
  const reading = new FileImport(new AnimalsFile(chunks, options), { skipInvalid: false })
  try {
    const outcome = await store.sync.run(reading.listed(), doing).finally(() => onRead(reading, mapping))
    return {
      text: `${asked.dryRun ? linesOf(outcome) : ''}${tell(cli, outcome, doing)}`,
      refusal: refusalOf(outcome, asked),
    }
  } catch (error) {
    if (error instanceof BadRows) {
      throw new CommandFailed(
        `${questionText(reading, mapping)}Nothing was changed: ${badRows(reading)}. Correct them and try again.`,
      )
    }
    if (error instanceof UnreadableFile)
      throw new CommandFailed(`${error.message}\n${questionText(reading, mapping)}Nothing was changed.`)
    throw error
  }
}

function linesOf({ changes, counts }: SyncOutcome): string {
  const more = Object.values(counts).reduce((sum, n) => sum + n, 0) - changes.length
  const lines = changes.map((change) => `${toLine(change)}\n`)
  return [...lines, ...(more > 0 ? [`… and ${more} more\n`] : [])].join('')
}

/** Describes the outcome. */
function tell(cli: Cli, outcome: SyncOutcome, { dryRun, missing, newCategories }: SyncOptions): string {
  const { n, counts, alike, unlisted, refusal } = outcome
  if (refusal !== undefined) return dryRun ? `${parts(outcome)}\n` : ''
  if (alike > 0 && counts.added > 0) {
    cli.hint(`${alike} of the added look like animals that are here, but which is which is not clear.\n`)
  }
  if (missing === 'keep' && unlisted > 0) {
    cli.hint(`Not in the list any more: ${animals(unlisted)}; --missing says what becomes of them.\n`)
  }
  const stay = newCategories?.size ? '; the names of categories stay' : ''
  if (n !== undefined) cli.hint(`\`pets imports undo ${n}\` undoes this${stay}.\n`)
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

function refusalOf({ refusal, alike }: SyncOutcome, { most }: Pick<SyncOptions, 'most'>): string | undefined {
  switch (refusal?.why) {
    case undefined:
      return undefined
    case 'renumbered': {
      const pairs = refusal.pairs.map(([before, now]) => `${printable(before)} is now ${printable(now)}`)
      return `${refusal.vanished} animals are not in the list any more, and ${refusal.alike} of them look like new rows (${pairs.join('; ')}): ${howChanged(refusal.pairs)}; nothing was changed. If that is right, --yes goes on.`
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
