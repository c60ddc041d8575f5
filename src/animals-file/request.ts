/** What a thread needs to read a list. */
import type { Missing } from '../rules/sync.ts'
import type { Gaps } from './categories.ts'

export interface ReadRequest {
  readonly fd: number
  readonly source: string
  readonly rowLimit: number
  readonly isSync: boolean
  /** A list whose mapping names a reference is synced. */
  readonly byReference: boolean
  readonly withIds: boolean
  readonly nowMs: number
  readonly categories: { readonly labels: ReadonlyMap<bigint, string>; readonly gaps: Gaps }
  readonly mapping: string | undefined
  /** The kept layout that this mapping changes. */
  readonly changes?: bigint | undefined
  readonly reference?: string | undefined
  /** What becomes of animals that are missing, if a person said so with the file. */
  readonly missing?: Missing | undefined
  readonly kept: readonly { readonly n: bigint; readonly mapping: string }[]
}
