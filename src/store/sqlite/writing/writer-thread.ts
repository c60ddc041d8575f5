/** Sends changes to a thread, which alone waits for the disk. Changes during a commit share the next one. */
import { type Clock, MINUTE_MS } from '../../../common/clock.ts'
import { petJson } from '../../../contract/json.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import { Batches } from '../../batches.ts'
import { type MemberValue, STORED_MEMBERS } from '../../rows.ts'
import { type PetJson, StoreUnavailable } from '../../store.ts'
import type { FileThread } from '../file/file-thread.ts'
import type { Batch, CommitResult, WriteName, WriterSide, Writes } from './file-writer.ts'

const GATHER_MS = 4
const CHANGES_PER_BATCH = 1_000
/** In UTF-16 units. Limits the memory of the thread. */
const TEXT_PER_BATCH = 4 << 20
/** A change that waits longer gets 503 (O23). */
const TIMEOUT_MS = 5_000
const TOO_LATE =
  'a write waited for too long, as when another program locks the database or the disk is slow; nothing was done.'

interface Create {
  readonly pet: NewPet
  readonly keyId: string | undefined
  created?: PetJson
}
interface Write {
  readonly write: Batch['writes'][number]
}
type Change = Create | Write

export interface WriterThreadOptions {
  readonly clock: Clock
  readonly onCreated: (from: bigint, to: bigint, created: readonly { pet: NewPet; text: PetJson }[]) => void
  readonly report: (trouble: string) => void
}

export class WriterThread {
  readonly commits = { count: 0 }
  readonly #thread: FileThread<WriterSide>
  readonly #options: WriterThreadOptions
  readonly #changes: Batches<Change, PetJson | undefined>
  #logTrouble: string | undefined

  constructor(thread: FileThread<WriterSide>, options: WriterThreadOptions) {
    this.#thread = thread
    this.#options = options
    this.#changes = new Batches((changes, waitedMs) => this.#commit(changes, TIMEOUT_MS - waitedMs), {
      clock: options.clock,
      inFlight: 1,
      maxItems: CHANGES_PER_BATCH,
      maxWeight: TEXT_PER_BATCH,
      weigh: (change) => (isCreate(change) ? change.pet.name.length : 0),
      gatherMs: GATHER_MS,
      maxMs: TIMEOUT_MS,
      refusal: () => new StoreUnavailable(TOO_LATE),
    })
  }

  create(pet: NewPet, keyId?: string): Promise<PetJson> {
    return this.#changes.submit({ pet, keyId }) as Promise<PetJson>
  }

  /** Resolves when the write is on the disk. Throws StoreUnavailable. */
  async run<Name extends WriteName>(name: Name, ...args: Parameters<Writes[Name]>): Promise<void> {
    await this.#changes.submit({ write: [name, args] })
  }

  async close(): Promise<void> {
    await this.#changes.close()
    await this.#thread.close()
  }

  /** The cache learns of the commit before anyone who waits for it. */
  #commit(changes: readonly Change[], timeoutMs: number): Promise<readonly (PetJson | undefined)[]> {
    // Grouping by key saves rows for origins.
    const creates = changes
      .filter(isCreate)
      .sort(({ keyId: a = '' }, { keyId: b = '' }) => (a === b ? 0 : a < b ? -1 : 1))
    const batch: Batch = {
      ...flatten(creates),
      minute: Math.floor(this.#options.clock.now() / MINUTE_MS),
      writes: changes.flatMap((change) => (isCreate(change) ? [] : [change.write])),
      timeoutMs,
    }
    return this.#thread.ask('batches', 'commit', [batch], (committed) => {
      this.#noteCreated(creates, committed)
      return changes.map((change) => (isCreate(change) ? change.created : undefined))
    })
  }

  #noteCreated(creates: readonly Create[], { from, to, firstId, logTrouble }: CommitResult): void {
    const created = creates.map((create, index) => {
      const { pet } = create
      const id = firstId + BigInt(index)
      const text = { id, json: petJson(id, pet.name, pet.categoryId, pet.status) }
      create.created = text
      return { pet, text }
    })
    if (created.length > 0) {
      this.commits.count += 1
      if (to - from === BigInt(created.length)) this.#options.onCreated(from, to, created)
    }
    this.#tell(logTrouble)
  }

  /** Reports each problem with the log once, and its end. */
  #tell(trouble: string | undefined): void {
    if (trouble === this.#logTrouble) return
    this.#logTrouble = trouble
    this.#options.report(
      trouble === undefined
        ? 'The write-ahead log is copied into the database again.'
        : `The write-ahead log cannot be copied into the database at the moment: ${trouble}`,
    )
  }
}

function isCreate(change: Change): change is Create {
  return 'pet' in change
}

function flatten(changes: readonly Create[]): Pick<Batch, 'creates' | 'creators'> {
  const creates: MemberValue[] = []
  const creators: [keyId: string | undefined, animals: number][] = []
  for (const { pet, keyId } of changes) {
    for (const name of STORED_MEMBERS) creates.push(pet[name] ?? null)
    const last = creators.at(-1)
    if (last !== undefined && last[0] === keyId) last[1] += 1
    else creators.push([keyId, 1])
  }
  return { creates, creators }
}
