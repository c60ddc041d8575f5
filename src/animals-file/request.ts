/** What a thread needs to read a list. */
import type { KnownCategories } from './categories.ts'

export interface ReadRequest {
  readonly fd: number
  readonly source: string
  readonly rowLimit: number
  readonly isSync: boolean
  /** A list whose mapping names a reference is synced. */
  readonly byReference: boolean
  readonly withIds: boolean
  readonly nowMs: number
  readonly categories: KnownCategories
  readonly mapping: string | undefined
  /** The kept layout that this mapping changes. */
  readonly changes?: bigint | undefined
  readonly reference: string | undefined
  readonly kept: readonly { readonly n: bigint; readonly mapping: string }[]
}
