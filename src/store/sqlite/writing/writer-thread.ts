/**
 * The service's writer: hands every change of the file to a thread (file-writer.ts), which alone waits for the disk.
 * Changes requested while a batch is being written leave with the next one, in one commit.
 */
import { type Clock, MINUTE_MS, type Timer } from '../../../common/clock.ts'
import { petJson } from '../../../contract/json.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import { type PetJson, StoreUnavailable } from '../../store.ts'
import type { FileThread, Outcome } from '../file/file-thread.ts'
import type { Batch, Committed, WriteName, Writes } from './file-writer.ts'
import type { FlatPets } from './pets.ts'

/**
 * A change waits for others to share its commit as long as each turn of the event loop brings something new, and at
 * most this many ms: where nobody else asks for anything it leaves at once. The time in which the commit before is
 * under way counts.
 */
const GATHER_MS = 4
const CREATES_PER_BATCH = 1_000
/** In UTF-16 units; bounds the memory of the thread. */
const TEXT_PER_BATCH = 4 << 20
/** A change that is still waiting after this time is answered 503 (O23). */
const TIMEOUT_MS = 5_000
const RETRY_S = 1
const TOO_LATE =
  'a write waited for too long, as when another program locks the database or the disk is slow; nothing was done.'

interface Pending {
  readonly dueMs: number
  reject(error: unknown): void
}

interface PendingCreate extends Pending {
  readonly pet: NewPet
  readonly keyId: string | undefined
  resolve(created: PetJson): void
}

interface PendingWrite extends Pending {
  readonly name: WriteName
  readonly args: readonly unknown[]
  resolve(): void
}

interface PendingBatch {
  readonly creates: readonly PendingCreate[]
  readonly writes: readonly PendingWrite[]
}

export interface WriterThreadOptions {
  readonly clock: Clock
  /** Called with every commit that consists of new animals only. */
  readonly onCreated: (from: bigint, to: bigint, created: readonly { pet: NewPet; text: PetJson }[]) => void
  readonly report: (trouble: string) => void
}

export class WriterThread {
  /** The number of commits that made animals durable, and of the animals in them. */
  readonly commits = { count: 0, rows: 0 }
  readonly #thread: FileThread
  readonly #options: WriterThreadOptions
  readonly #clock: Clock
  #creates: PendingCreate[] = []
  #writes: PendingWrite[] = []
  #gathering = false
  /** When the first of what waits came. */
  #sinceMs: number | undefined
  #isWriting = false
  #overdueTimer: Timer | undefined
  #logTrouble: string | undefined
  #whenIdle: () => void = () => {}

  constructor(thread: FileThread, options: WriterThreadOptions) {
    this.#thread = thread
    this.#options = options
    this.#clock = options.clock
  }

  /**
   * Adds an animal, in one commit with others that arrive at the same time, and notes the key whose request it is, if
   * one is named. Throws as `run` does.
   */
  create(pet: NewPet, keyId?: string): Promise<PetJson> {
    return new Promise((resolve, reject) => {
      this.#creates.push({ pet, keyId, resolve, reject, dueMs: this.#clock.monotonic() + TIMEOUT_MS })
      this.#gather()
    })
  }

  /**
   * Runs one write in a transaction: all of it is on the disk when this resolves. Throws StoreUnavailable, and then
   * nothing was done unless the error says that the outcome is unknown.
   */
  run<Name extends WriteName>(name: Name, ...args: Parameters<Writes[Name]>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ name, args, resolve, reject, dueMs: this.#clock.monotonic() + TIMEOUT_MS })
      this.#gather()
    })
  }

  /** Resolves when all requested changes are done. */
  async close(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    this.#clock.cancel(this.#overdueTimer)
    await this.#thread.close()
  }

  #isIdle(): boolean {
    return !this.#isWriting && this.#creates.length === 0 && this.#writes.length === 0
  }

  #gather(): void {
    this.#overdueTimer ??= this.#clock.after(TIMEOUT_MS, () => this.#refuseOverdue()).unref()
    this.#sinceMs ??= this.#clock.monotonic()
    if (this.#gathering || this.#isWriting) return
    this.#gathering = true
    const untilMs = this.#sinceMs + GATHER_MS
    const wait = (before: number | undefined) => {
      setImmediate(() => {
        const { events } = performance.nodeTiming.uvMetricsInfo
        if (events !== before && this.#clock.monotonic() < untilMs) wait(events)
        else this.#send()
      })
    }
    wait(undefined)
  }

  #send(): void {
    this.#gathering = false
    if (this.#isIdle()) {
      this.#whenIdle()
      return
    }
    const batch = this.#nextBatch()
    this.#isWriting = true
    this.#sinceMs = undefined
    const dueMs = earliest([...batch.creates, batch.writes[0]])
    const message: Batch = {
      ...flatten(batch.creates),
      minute: Math.floor(this.#clock.now() / MINUTE_MS),
      writes: batch.writes.map(({ name, args }) => [name, args]),
      timeoutMs: dueMs - this.#clock.monotonic(),
    }
    this.#thread.ask({ subject: 'batches', method: 'commit', args: [message] }, (outcome) => this.#end(batch, outcome))
  }

  #nextBatch(): PendingBatch {
    let count = 0
    let text = 0
    for (const { pet } of this.#creates) {
      text += pet.name.length
      if (count === CREATES_PER_BATCH || (count > 0 && text > TEXT_PER_BATCH)) break
      count += 1
    }
    // Where animals came from takes fewer rows where those of one key are together.
    const byKey = ({ keyId: a = '' }: PendingCreate, { keyId: b = '' }: PendingCreate) => (a === b ? 0 : a < b ? -1 : 1)
    return { creates: this.#creates.splice(0, count).sort(byKey), writes: this.#writes.splice(0) }
  }

  #end(batch: PendingBatch, outcome: Outcome): void {
    if ('value' in outcome) this.#resolve(batch, outcome.value as Committed)
    else for (const pending of [...batch.creates, ...batch.writes]) pending.reject(outcome.error)
    this.#isWriting = false
    if (this.#isIdle()) this.#whenIdle()
    else this.#gather()
  }

  #resolve({ creates, writes }: PendingBatch, { from, to, firstId, logTrouble }: Committed): void {
    const created = creates.map(({ pet }, index) => {
      const id = firstId + BigInt(index)
      return { pet, text: { id, json: petJson(id, pet.name, pet.categoryId, pet.status) } }
    })
    if (created.length > 0) {
      this.commits.count += 1
      this.commits.rows += created.length
      if (to - from === BigInt(created.length)) this.#options.onCreated(from, to, created)
    }
    for (const [index, { text }] of created.entries()) creates[index]?.resolve(text)
    for (const { resolve } of writes) resolve()
    this.#tell(logTrouble)
  }

  /** Reports each trouble with the log once, and its end. */
  #tell(trouble: string | undefined): void {
    if (trouble === this.#logTrouble) return
    this.#logTrouble = trouble
    this.#options.report(
      trouble === undefined
        ? 'The write-ahead log is copied into the database again.'
        : `The write-ahead log cannot be copied into the database at the moment: ${trouble}`,
    )
  }

  #refuseOverdue(): void {
    const nowMs = this.#clock.monotonic()
    const refused = [...this.#creates, ...this.#writes].filter(({ dueMs }) => dueMs <= nowMs)
    this.#creates = this.#creates.filter(({ dueMs }) => dueMs > nowMs)
    this.#writes = this.#writes.filter(({ dueMs }) => dueMs > nowMs)
    const late = new StoreUnavailable(TOO_LATE, { retryAfterS: RETRY_S })
    for (const { reject } of refused) reject(late)
    this.#clock.cancel(this.#overdueTimer)
    const nextMs = earliest([this.#creates[0], this.#writes[0]])
    this.#overdueTimer = Number.isFinite(nextMs)
      ? this.#clock.after(nextMs - nowMs, () => this.#refuseOverdue()).unref()
      : undefined
  }
}

function flatten(pending: readonly PendingCreate[]): Pick<Batch, 'creates' | 'creators'> {
  const creates: FlatPets = []
  const creators: [keyId: string | undefined, animals: number][] = []
  for (const { pet, keyId } of pending) {
    creates.push(pet.name, pet.categoryId, pet.status ?? null)
    const last = creators.at(-1)
    if (last !== undefined && last[0] === keyId) last[1] += 1
    else creators.push([keyId, 1])
  }
  return { creates, creators }
}

/** Of the first that wait, which have waited longest. */
function earliest(first: readonly (Pending | undefined)[]): number {
  return Math.min(...first.map((pending) => pending?.dueMs ?? Infinity))
}
