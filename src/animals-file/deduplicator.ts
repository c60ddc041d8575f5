/**
 * Keeps one row for each animal where a file has several, such as one for each stay: the newest by its dates, or else
 * the last. The remaining rows stay in the order of the file. A million rows are held, so they are held as columns.
 */
import { fold } from '../common/fold.ts'
import { type FilePet, type ReadRow, UnreadableFile } from './row.ts'
import type { LineNumbers } from './value-counts.ts'

/** The share of rows that may repeat a reference with another name or category before the column is rejected. */
const MOST_OTHERS = 0.1
/** Up to so many such rows are accepted in any file. */
const FEW = 3
const TOGETHER = 1_000

type Kept = Pick<FilePet, 'categoryId' | 'status'>

export class Deduplicator {
  /** The place of an animal by its reference as it is compared. */
  readonly #places = new Map<string, number>()
  readonly #lines: number[] = []
  readonly #came: number[] = []
  readonly #left: number[] = []
  readonly #names: string[] = []
  readonly #references: (string | undefined)[] = []
  /** Animals of one category and status share an object; who is gone has none of these. */
  readonly #kinds: (Kept | undefined)[] = []
  readonly #kindOf = new Map<string, Kept>()
  /** Rows with more than that, or with problems, as they are. */
  readonly #whole = new Map<number, ReadRow>()
  readonly #isSure: boolean
  #others = 0
  #read = 0
  #isInOrder = true

  /** `isSure`: rows with one reference are about one animal, even if their names or categories differ. */
  constructor(isSure: boolean) {
    this.#isSure = isSure
  }

  /** Adds a row. If another row is about the same animal, the line of the older one is added to `older`. */
  add(row: ReadRow, older: LineNumbers): void {
    this.#read += 1
    const key = row.same === undefined ? undefined : fold(row.same)
    const before = key === undefined ? undefined : this.#places.get(key)
    const end = this.#lines.length
    if (before === undefined) {
      if (key !== undefined) this.#places.set(key, end)
      this.#set(end, row)
      return
    }
    const isComparable = 'value' in row && !('problems' in (this.#whole.get(before) ?? {}))
    const isOther = isComparable && this.#differs(before, row.value)
    if (isOther) this.#others += 1
    if (!isComparable || (isOther && !this.#isSure)) {
      this.#set(isComparable ? end : before, row)
      return
    }
    const isNewer = !this.#isOlder(before, row)
    older.add(isNewer ? (this.#lines[before] ?? 0) : row.line)
    if (isNewer) this.#set(before, row)
  }

  /** The remaining rows. Throws UnreadableFile if the references do not identify animals. */
  *all(reference: string): Iterable<readonly ReadRow[]> {
    if (this.#isSure && this.#others > FEW && this.#others > MOST_OTHERS * this.#read) {
      throw new UnreadableFile(
        `The column "${reference}" does not tell the animals apart: ${this.#others} of ${this.#read} rows have the reference of an animal with another name.`,
        'Name the right one with --ref.',
      )
    }
    this.#places.clear()
    const order = Uint32Array.from(this.#lines.keys())
    if (!this.#isInOrder) order.sort((a, b) => (this.#lines[a] ?? 0) - (this.#lines[b] ?? 0))
    for (let at = 0; at < order.length; at += TOGETHER)
      yield Array.from(order.subarray(at, at + TOGETHER), (place) => this.#get(place))
  }

  #set(place: number, row: ReadRow): void {
    this.#isInOrder &&= place === this.#lines.length
    const { name = '', categoryId = 0n, status, reference, ...more } = 'value' in row ? row.value : {}
    this.#lines[place] = row.line
    this.#came[place] = row.at?.[0] ?? -1
    this.#left[place] = row.at?.[1] ?? -1
    this.#names[place] = name
    this.#references[place] = reference
    const key = `${categoryId} ${status}`
    const kind = this.#kindOf.get(key) ?? { categoryId, ...(status && { status }) }
    this.#kindOf.set(key, kind)
    this.#kinds[place] = row.isGone ? undefined : kind
    if ('problems' in row || Object.keys(more).length > 0) this.#whole.set(place, row)
    else this.#whole.delete(place)
  }

  #get(place: number): ReadRow {
    const whole = this.#whole.get(place)
    if (whole !== undefined) return whole
    const [name = '', reference, kind] = [this.#names[place], this.#references[place], this.#kinds[place]]
    const value = { name, categoryId: 0n, ...kind, ...(reference !== undefined && { reference }) }
    return { line: this.#lines[place] ?? 0, value, isGone: kind === undefined }
  }

  #differs(place: number, { name, categoryId }: FilePet): boolean {
    const kind = this.#kinds[place]
    return fold(this.#names[place] ?? '') !== fold(name) || (kind !== undefined && kind.categoryId !== categoryId)
  }

  /** Compares dates of intake, then of departure. Without a date of departure the animal is still there: newest. */
  #isOlder(place: number, { at: [came, left] = [-1, -1] }: ReadRow): boolean {
    const [cameBefore = -1, leftBefore = -1] = [this.#came[place], this.#left[place]]
    if (came !== -1 && cameBefore !== -1 && came !== cameBefore) return came < cameBefore
    if (left === leftBefore) return false
    if (left === -1 || leftBefore === -1) return leftBefore === -1
    return left < leftBefore
  }
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
