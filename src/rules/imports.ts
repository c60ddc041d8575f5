/** What a list of animals is refused for, before anything is done with it. */

/** In the office. A million animals with ordinary names take about 30 MB; larger files are for the command line. */
export const UPLOAD_BYTES = 64 << 20
export const TOO_LARGE = `The file is larger than ${UPLOAD_BYTES >> 20} MB. Divide it, or import it with the command “pets import”.`

/** Characters of the name of a file, which is shown, and stored with its import. */
const SOURCE_LENGTH = 200

/** The name of a file without its folders, wherever it is from: a form may send one without a name. */
export function sourceOf(path = ''): string {
  const name = path
    .replace(/^.*[\\/]/s, '')
    .replaceAll('\0', '')
    .toWellFormed()
  return [...name].slice(0, SOURCE_LENGTH).join('') || 'a file'
}

/** What a refused file did not do, as in "Nothing was changed". */
export function doneWord(isSync = false): 'changed' | 'imported' {
  return isSync ? 'changed' : 'imported'
}

/** The share of rows that may repeat a reference with another name or category before they are ambiguous. */
const MOST_OTHERS = 0.1
/** Up to so many such rows are accepted in any file. */
const FEW = 3

/** Whether the references do not tell the animals apart, if so many of all rows have that of another animal. */
export function isAmbiguous(others: number, rows: number): boolean {
  return others > FEW && others > MOST_OTHERS * rows
}

interface ImportCheck {
  readonly animals: number
  /** Those that are there already, by name and category. */
  readonly duplicates: number
  /** Some of the ids that are taken, or appear twice. */
  readonly takenIds: readonly bigint[]
  readonly isAmbiguous: boolean
}

/** How many animals an import adds: all, those that are not there yet if it leaves out the others, or none. */
export function addedBy(
  { animals, duplicates, takenIds, isAmbiguous }: ImportCheck,
  leavesOutDuplicates: boolean,
): number {
  if (takenIds.length > 0 || isAmbiguous) return 0
  if (duplicates === 0) return animals
  return leavesOutDuplicates ? animals - duplicates : 0
}
