/**
 * What was added, changed and gone, found out by asking again and again. The interface tells no changes, and of a list
 * no more than a hundred animals, without a next page. So a pass asks for all animals; if there are more than a list
 * holds, for those of each status; and for animals that were in a list and are in none any more one by one, as long as
 * the service has that operation. What cannot be known is part of what it yields.
 */
import { backoffMs, mayRetry, serviceMs } from './backoff.ts'
import { elapsedMs, pause } from './clock.ts'
import { type AnswerError, CallError } from './errors.ts'
import { LOOKED_AT } from './look.ts'
import type { Settings } from './options.ts'
import { type Answered, rateLimitOf } from './sender.ts'
import { Share } from './share.ts'
import { PET_STATUS_VALUES, type Pet, type PetStatus } from './types.ts'

/**
 * An hour before the service removes getPet, so that no 404 is taken for that of an animal. Unix milliseconds, by the
 * clock of the service.
 */
export const GET_PET_ENDS_MS: number = Date.UTC(2030, 11, 4, 23)
/** So many animals that are in no list are asked for in a pass, and half of them may be those that just left a list. */
const UNLISTED_ASKED = 8

/** The options of a mirror. */
export interface MirrorOptions {
  /** The part of the key's allowance, of the minute and of the day, that it uses at most: a fraction. Default 0.5. */
  readonly share?: number | undefined
  /** Ends it, also while it waits; it then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** What became of one animal. */
export interface MirrorChange {
  /**
   * `added`: it is there, and the mirror has not held it. `changed`: it has another name, category or status. `gone`:
   * the service has it no more. `unseen`: no list shows it any more, and nobody can tell why; the mirror does not hold
   * it any more.
   */
  readonly kind: 'added' | 'changed' | 'gone' | 'unseen'
  /** The animal as it is, or as it was last seen. */
  readonly pet: Pet
}

/** The end of a pass: how much of the service's animals the mirror holds. */
export interface MirrorCoverage {
  readonly kind: 'covered'
  /** Each animal that the mirror holds was like that at this time or later, by the clock of the service. */
  readonly asOf: Date
  /**
   * The statuses of which the service may have more animals than a list shows, so that the mirror may lack some; `none`
   * is for animals without a status. Empty: it holds all animals, as they were at one instant.
   */
  readonly partial: readonly (PetStatus | 'none')[]
  /** How many of the animals that the mirror holds are in no list any more. They are asked for in turns. */
  readonly unlisted: number
}

/** What a mirror yields. */
export type MirrorEvent = MirrorChange | MirrorCoverage

type Events<T> = AsyncGenerator<MirrorEvent, T, undefined>

/** The operations, of one attempt each. */
interface Operations {
  list(status: PetStatus | undefined): Promise<Answered<Pet[]>>
  get(id: bigint): Promise<Answered<Pet>>
}

interface Held {
  readonly pet: Pet
  readonly asOfMs: number
}

export class Mirror {
  readonly #settings: Settings
  readonly #signal: AbortSignal | undefined
  readonly #operations: Operations
  readonly #share: Share
  readonly #held = new Map<bigint, Held>()
  /** The held animals that are in no list, the next one to ask for first. */
  #unlisted = new Set<bigint>()
  /** By how much the clock of the service is ahead of the one of the waits. */
  #aheadMs = 0

  /** Throws RangeError if an option is invalid. */
  constructor(settings: Settings, { share = 0.5, signal }: MirrorOptions, operations: Operations) {
    this.#settings = settings
    this.#signal = signal
    this.#operations = operations
    this.#share = new Share(share)
  }

  async *events(): Events<never> {
    for (;;) yield* this.#pass()
  }

  async *#pass(): Events<void> {
    const listed = new Set<bigint>()
    const partial: (PetStatus | 'none')[] = []
    let asOfMs = Infinity
    for (const status of [undefined, ...PET_STATUS_VALUES]) {
      const { data, asOfMs: listedMs } = await this.#ask(() => this.#operations.list(status))
      for (const pet of data) {
        listed.add(pet.id)
        yield* this.#hold(pet, listedMs)
      }
      asOfMs = Math.min(asOfMs, listedMs)
      if (data.length >= LOOKED_AT) partial.push(status ?? 'none')
      else if (status === undefined) break
    }
    yield* this.#leave(listed, partial.length === 0)
    for (const held of this.#held.values()) asOfMs = Math.min(asOfMs, held.asOfMs)
    yield { kind: 'covered', asOf: new Date(asOfMs), partial, unlisted: this.#unlisted.size }
  }

  /** What becomes of the animals that no list has shown. */
  async *#leave(listed: ReadonlySet<bigint>, isAll: boolean): Events<void> {
    const missing = [...this.#held.keys()].filter((id) => !listed.has(id))
    const before = [...this.#unlisted].filter((id) => !listed.has(id))
    const left = missing.filter((id) => !this.#unlisted.has(id))
    const next = UNLISTED_ASKED / 2
    this.#unlisted = new Set(isAll ? [] : [...left.slice(0, next), ...before, ...left.slice(next)])
    if (isAll) for (const id of missing) yield* this.#drop('gone', id)
    // One whose status changed between two lists may be in none: it is in one of the next pass.
    else if (!this.#hasGetPet()) for (const id of before) yield* this.#drop('unseen', id)
    else for (const id of [...this.#unlisted].slice(0, UNLISTED_ASKED)) yield* this.#follow(id)
  }

  /** Asks for an animal that is in no list. */
  async *#follow(id: bigint): Events<void> {
    try {
      const { data, asOfMs } = await this.#ask(() => this.#operations.get(id))
      yield* this.#hold(data, asOfMs)
      this.#unlisted.delete(id)
      this.#unlisted.add(id)
    } catch (error) {
      if (statusOf(error) !== 404) throw error
      if (this.#hasGetPet()) yield* this.#drop('gone', id)
    }
  }

  *#hold(pet: Pet, asOfMs: number): Generator<MirrorEvent, void, undefined> {
    const known = this.#held.get(pet.id)?.pet
    this.#held.set(pet.id, { pet, asOfMs })
    if (known === undefined) yield { kind: 'added', pet }
    else if (!isSame(known, pet)) yield { kind: 'changed', pet }
  }

  *#drop(kind: 'gone' | 'unseen', id: bigint): Generator<MirrorEvent, void, undefined> {
    const held = this.#held.get(id)
    this.#held.delete(id)
    this.#unlisted.delete(id)
    if (held !== undefined) yield { kind, pet: held.pet }
  }

  #hasGetPet(): boolean {
    return elapsedMs(this.#settings.clock) + this.#aheadMs < GET_PET_ENDS_MS
  }

  /** Asks when the share allows it, and again after failures that may pass, for as long as they last. */
  async #ask<T>(request: () => Promise<Answered<T>>): Promise<{ readonly data: T; readonly asOfMs: number }> {
    const { clock, random, onRetry } = this.#settings
    for (let attempt = 1; ; attempt++) {
      await pause(clock, Math.max(0, this.#share.waitMs(elapsedMs(clock))), this.#signal)
      const sentMs = elapsedMs(clock)
      try {
        const { data, headers } = await request().finally(() => this.#share.spend(elapsedMs(clock)))
        const nowMs = serviceMs(headers.get('Date'), clock.now())
        this.#aheadMs = nowMs - elapsedMs(clock)
        const rateLimit = rateLimitOf(headers)
        if (rateLimit !== undefined) this.#share.learn(rateLimit, nowMs)
        return { data, asOfMs: sentMs + this.#aheadMs }
      } catch (error) {
        const status = statusOf(error)
        if (!(error instanceof CallError && mayRetry({ status, mayBeDone: false }))) throw error
        const { retryAfter = 0 }: Partial<AnswerError> = error
        const waitMs = backoffMs(attempt, { askedMs: retryAfter * 1000, isRefusal: status === 429 }, random)
        await onRetry?.({ attempt, waitMs, error })
        await pause(clock, waitMs, this.#signal)
      }
    }
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof CallError ? (error as Partial<AnswerError>).status : undefined
}

function isSame(one: Pet, other: Pet): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status
}
