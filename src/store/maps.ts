/** Mappings of other systems' files (../animals-file/mapping.ts) that are kept by a name. */
import type { Eventual } from '../common/eventual.ts'

export interface KeptMaps {
  /** The rules of each, by name in ascending order. */
  all(): Eventual<ReadonlyMap<string, readonly string[]>>
  /** Keeps the rules by this name, in place of others. */
  keep(name: string, rules: readonly string[]): Eventual<void>
  /** False if there is none of this name. */
  remove(name: string): Eventual<boolean>
}
