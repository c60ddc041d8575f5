/**
 * Rows about one animal, as of its several stays: the newest counts, by the dates of the file, or else the last. What
 * is left are the animals that are there, each once, in the order of the file.
 */
import { fold } from '../common/fold.ts'
import { type FilePet, type ReadRow, UnreadableFile } from './row.ts'
import type { LineNumbers } from './value-counts.ts'

/** Of rows with a reference in common more than this share may be of animals with other names. */
const MOST_OTHERS = 0.1
/** Fewer rows than this say nothing about a column. */
const FEW = 3

export class Deduplicator {
  readonly #rows = new Map<string | number, ReadRow>()
  readonly #isSure: boolean
  #others = 0
  #read = 0

  /** Unless `isSure`, rows with another name or category are of another animal. */
  constructor(isSure: boolean) {
    this.#isSure = isSure
  }

  /** Counts the older one of two rows in `older`. */
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

  /** Throws UnreadableFile if the references do not tell the animals apart. */
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

/** By when the animal came; if it came at the same time, by when it left, which it has not if there is no date. */
function isOlder({ at: [came, left] = [-1, -1] }: ReadRow, { at: [came2, left2] = [-1, -1] }: ReadRow): boolean {
  if (came !== -1 && came2 !== -1 && came !== came2) return came < came2
  if (left === left2) return false
  if (left === -1 || left2 === -1) return left2 === -1
  return left < left2
}

/** How the references of a list differ from those before, where animals are the same. */
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
