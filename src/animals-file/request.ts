/** What a thread needs to know to read a list. */
import type { KnownCategories } from './categories.ts'

export interface ReadRequest {
  /** The descriptor of a file that can be read at any place. */
  readonly fd: number
  /** Its name. */
  readonly source: string
  /** The maximum size of a row in bytes. */
  readonly rowLimit: number
  readonly isSync: boolean
  /** A list whose mapping names a reference is synced. */
  readonly byReference: boolean
  /** Each row has the id of its animal. */
  readonly withIds: boolean
  readonly nowMs: number
  readonly categories: KnownCategories
  /** What somebody says about this file: a whole mapping. */
  readonly mapping: string | undefined
  /** The heading of the reference. */
  readonly reference: string | undefined
  /** The mappings that somebody has confirmed. */
  readonly kept: readonly { readonly n: bigint; readonly mapping: string }[]
}
