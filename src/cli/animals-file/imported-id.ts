/** The ids that an import brings. The service counts up from 1, and needs room to go on behind the greatest. */
import { parseInt64 } from '../../contract/int64.ts'

/** Half of all ids are left for animals that come later. */
const MAX_ID = 2n ** 62n - 1n
export const ID_RULE = `id: must be an integer from 1 to ${MAX_ID}`

/** The id that a row brings, or undefined when it is not one. */
export function importedId(text: string): bigint | undefined {
  const id = parseInt64(text)
  return id !== undefined && id >= 1n && id <= MAX_ID ? id : undefined
}
