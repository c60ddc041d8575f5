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

/** What somebody has said about a list, so that nothing is done on a guess. */
export interface Allowed {
  /** Whether it is said which of several rows with one reference counts. */
  readonly differing: boolean
  /** Whether these can have different names. */
  readonly names: boolean
  readonly newCategories: boolean
}

const ALL_ALLOWED: Allowed = { differing: true, names: true, newCategories: true }

/** Whether nothing is open in the rows of a file. */
export function isAllowed(
  {
    repeated,
    uncategorised,
    newCategories,
  }: {
    readonly repeated: { readonly references: number; readonly named: number }
    readonly uncategorised: { readonly rows: number }
    readonly newCategories: { readonly size: number }
  },
  allows: Allowed = ALL_ALLOWED,
): boolean {
  const isClear = (allows.differing || repeated.references === 0) && (allows.names || repeated.named === 0)
  return isClear && uncategorised.rows === 0 && (allows.newCategories || newCategories.size === 0)
}

interface ImportCheck {
  readonly animals: number
  /** Those that are there already, by name and category. */
  readonly duplicates: number
  /** Some of the ids that are taken, or appear twice. */
  readonly takenIds: readonly bigint[]
}

/** How many animals an import adds: all, those that are not there yet if it leaves out the others, or none. */
export function addedBy({ animals, duplicates, takenIds }: ImportCheck, leavesOutDuplicates: boolean): number {
  if (takenIds.length > 0) return 0
  if (duplicates === 0) return animals
  return leavesOutDuplicates ? animals - duplicates : 0
}
