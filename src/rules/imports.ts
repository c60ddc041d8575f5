/** Why a list of animals is refused before anything is imported. */
import type { Missing } from './sync.ts'

/** For the office. A million animals with ordinary names take about 30 MB; larger files need the command. */
export const UPLOAD_BYTES = 64 << 20
export const TOO_LARGE = `The file is larger than ${UPLOAD_BYTES >> 20} MB. Divide it, or import it with the command “pets import”.`

const SOURCE_LENGTH = 200

/** The file name without folders; a default if a form sends none. */
export function sourceOf(path = ''): string {
  const name = path
    .replace(/^.*[\\/]/s, '')
    .replaceAll('\0', '')
    .toWellFormed()
  return [...name].slice(0, SOURCE_LENGTH).join('') || 'a file'
}

export function doneWord(isSync = false): 'changed' | 'imported' {
  return isSync ? 'changed' : 'imported'
}

/** Whether invalid rows can be skipped. A sync that sells or removes missing animals would take those of skipped rows. */
export function maySkipRows(isSync: boolean, missing: Missing): boolean {
  return !isSync || missing === 'keep'
}

/** What to do with invalid rows, without a full stop. */
export function rowsAdvice(maySkip: boolean): string {
  return maySkip
    ? 'Correct the file, or skip invalid rows'
    : 'Correct the file, or keep missing animals as they are: the animals of skipped rows would be missing'
}

export interface Allowed {
  /** Whether a rule decides between several rows with one reference. */
  readonly differing: boolean
  /** Whether such rows can have different names. */
  readonly names: boolean
  readonly newCategories: boolean
}

const ALL_ALLOWED: Allowed = { differing: true, names: true, newCategories: true }

/** Whether no question about the rows is open. */
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
  readonly duplicates: number
  /** Some ids that are taken, or appear twice. */
  readonly takenIds: readonly bigint[]
}

/** How many animals an import adds: all, those that do not exist yet, or none. */
export function addedBy({ animals, duplicates, takenIds }: ImportCheck, leavesOutDuplicates: boolean): number {
  if (takenIds.length > 0) return 0
  if (duplicates === 0) return animals
  return leavesOutDuplicates ? animals - duplicates : 0
}
