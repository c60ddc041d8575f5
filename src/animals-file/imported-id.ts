/** The ids of an import. The service assigns ids upwards from 1 and needs room above the greatest one. */
import { parseInt64 } from '../contract/int64.ts'

/** Half of all ids are reserved for animals that come later. */
const MAX_ID = 2n ** 62n - 1n
export const ID_RULE = `id: must be an integer from 1 to ${MAX_ID}`

/** The id of a row, or undefined if it is not valid. */
export function importedId(text: string): bigint | undefined {
  const id = parseInt64(text)
  return id !== undefined && id >= 1n && id <= MAX_ID ? id : undefined
}
