/**
 * Keeps one row for each animal where a file has several, such as one for each stay: the newest by its dates, or else
 * the last. The remaining rows stay in the order of the file.
 */
import { fold } from '../common/fold.ts'
import { type FilePet, type ReadRow, UnreadableFile } from './row.ts'
import type { LineNumbers } from './value-counts.ts'

/** The share of rows that may repeat a reference with another name or category before the column is rejected. */
const MOST_OTHERS = 0.1
/** Up to so many such rows are accepted in any file. */
const FEW = 3

export class Deduplicator {
  readonly #rows = new Map<string | number, ReadRow>()
  readonly #isSure: boolean
  #others = 0
  #read = 0

  /** `isSure`: rows with one reference are about one animal, even if their names or categories differ. */
  constructor(isSure: boolean) {
    this.#isSure = isSure
  }

  /** Adds a row. If another row is about the same animal, the line of the older one is added to `older`. */
  add(row: ReadRow, older: LineNumbers): void {
    this.#read += 1
    const key = row.same === undefined ? row.line : fold(row.same)
    const before = this.#rows.get(key)
    const isComparable = before !== undefined && 'value' in before && 'value' in row
    const isOther = isComparable && differ(before.value, row.value)
    if (isOther) this.#others += 1
    if (!isComparable || (isOther && !this.#isSure)) {
      this.#rows.set(before === undefined ? key : row.line, row)
      return
    }
    const isNewer = !isOlder(row, before)
    older.add(isNewer ? before.line : row.line)
    if (isNewer) this.#rows.set(key, row)
  }

  /** The remaining rows. Throws UnreadableFile if the references do not identify animals. */
  *all(reference: string): Iterable<readonly ReadRow[]> {
    if (this.#isSure && this.#others > FEW && this.#others > MOST_OTHERS * this.#read) {
      throw new UnreadableFile(
        `The column "${reference}" does not tell the animals apart: ${this.#others} of ${this.#read} rows have the reference of an animal with another name.`,
        'Name the right one with --ref.',
      )
    }
    yield [...this.#rows.values()].sort((a, b) => a.line - b.line)
  }
}

function differ(a: FilePet, b: FilePet): boolean {
  return fold(a.name) !== fold(b.name) || a.categoryId !== b.categoryId
}

/** Compares dates of intake, then of departure. Without a date of departure the animal is still there: newest. */
function isOlder({ at: [came, left] = [-1, -1] }: ReadRow, { at: [came2, left2] = [-1, -1] }: ReadRow): boolean {
  if (came !== -1 && came2 !== -1 && came !== came2) return came < came2
  if (left === left2) return false
  if (left === -1 || left2 === -1) return left2 === -1
  return left < left2
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
