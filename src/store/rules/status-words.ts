/** What people see for the statuses, and that no two look alike. */
import { foldWord } from '../../common/fold.ts'
import { isPetStatus, PetStatus } from '../../contract/schemas.ts'
import type { SharedWord, StatusWords } from '../words.ts'

/** Said of animals beside the statuses. */
const OTHERS = ['No status', 'Removed', 'All']

/** The word for a status that the shelter has not given one. */
export function plainWord(status: PetStatus): string {
  return `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

/** What setting these words means where `before` are the words now. */
export function toWording(
  before: StatusWords,
  words: ReadonlyMap<PetStatus, string | undefined>,
): { readonly changed: readonly PetStatus[]; readonly shared: SharedWord | undefined } {
  const changed = [...words.keys()].filter((status) => words.get(status) !== before[status])
  const shown = PetStatus.enum.map((status) => {
    const word = words.has(status) ? words.get(status) : before[status]
    return [status, foldWord(word ?? plainWord(status))] as const
  })
  for (const status of changed) {
    const wanted = shown.find(([one]) => one === status)?.[1]
    const other =
      shown.find(([one, word]) => one !== status && (word === wanted || one === wanted))?.[0] ??
      OTHERS.find((one) => foldWord(one) === wanted)
    if (other !== undefined) return { changed, shared: { status, other } }
  }
  return { changed, shared: undefined }
}

/** From rows of a status and its word. */
export function toStatusWords(rows: readonly (readonly [string, string])[]): StatusWords {
  return Object.fromEntries(rows.filter(([status]) => isPetStatus(status)))
}
