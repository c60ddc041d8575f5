/** The operator's side of a file in this thread: of a command, which has nothing else to do. */
import type { Clock } from '../../../common/clock.ts'
import { petJson } from '../../../contract/json.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import { SAVE_AFTER_MS } from '../../bounds.ts'
import { operatorSide } from '../../operator-side.ts'
import { insertPet } from '../../records.ts'
import { type PetJson, StoreUnavailable, StoreUnusable, type UsageStore } from '../../store.ts'
import { claimImporting } from '../file/claim.ts'
import { OperatorDatabase } from './database.ts'
import { saveUsages, storedUsages } from './usages.ts'

/** How long a write waits for that of another process. */
const PATIENCE_MS = { command: 10_000, service: 5_000 }
/** Retry-After in seconds while another file is in the place of this one. */
const RETRY_MOVED_S = 5

interface OperatorHereOptions {
  readonly path: string
  readonly clock: Clock
  /** The file that is open at the path (../file/identity.ts). */
  readonly fileId: string | undefined
  readonly isServing: boolean
  /** Called after each commit. */
  readonly onCommit: () => void
}

export function operatorHere(options: OperatorHereOptions) {
  const database = operatorDatabase(options)
  const commits = { count: 0, rows: 0 }
  return {
    side: operatorSide(database, { ledgerSavedAfterMs: SAVE_AFTER_MS, usages: storedUsages(database) }),
    /** Adds an animal, for a command; it has no key. */
    async create(pet: NewPet): Promise<PetJson> {
      const id = await database.write((sql) => insertPet(database, sql, pet))
      commits.count += 1
      commits.rows += 1
      return { id, json: petJson(id, pet.name, pet.categoryId, pet.status) }
    },
    saveUsages: ((used, spent) => saveUsages(database, used, spent)) satisfies UsageStore['save'],
    /** Of `create`. */
    commits,
    close: () => database.close(),
  }
}

/** Of a service or of a command. */
export function operatorDatabase({ path, clock, fileId, isServing, onCommit }: OperatorHereOptions): OperatorDatabase {
  const moved = `${path} was moved, removed or replaced`
  return new OperatorDatabase({
    ...{ path, clock, fileId, onCommit, claimImporting: () => claimImporting(path) },
    patienceMs: isServing ? PATIENCE_MS.service : PATIENCE_MS.command,
    moved: () =>
      isServing
        ? new StoreUnavailable(`${moved}; nothing was done.`, { retryAfterS: RETRY_MOVED_S })
        : new StoreUnusable(
            `${moved} while this command was working on it; what was not done yet is left undone. See which file is the right one, and try again.`,
          ),
  })
}
