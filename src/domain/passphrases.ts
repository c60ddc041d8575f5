/**
 * Passphrases: their rules, and how they are hashed with scrypt. A hash takes 32 MiB and a quarter of a second of one
 * thread, so they run one after the other, in two queues that take turns. Each person has one place.
 */
import { scrypt, timingSafeEqual } from 'node:crypto'
import { normalized } from '../common/fold.ts'
import { PASSPHRASE_LENGTH } from '../rules/bounds.ts'
import type { RandomBytes } from './keys.ts'

const MAX_BYTES = 1_024
export const PASSPHRASE_RULE = `a passphrase has at least ${PASSPHRASE_LENGTH} characters, and at most ${MAX_BYTES} bytes`

const COST = { N: 32_768, r: 8, p: 3 } as const
const MAX_MEMORY = 268_435_456
const SALT_BYTES = 16
const HASH_BYTES = 32
/** In each queue. */
const MAX_WAITING = 6

/** `known`: the person is signed in or has an invitation. */
export type Asker = 'known' | 'stranger'

interface Waiting {
  readonly who: string
  readonly compute: () => Promise<void>
}

/** Too many passphrases are being hashed, or one of the same person is; try again soon. */
export class PassphrasesBusy extends Error {
  override readonly name = 'PassphrasesBusy'
  readonly isFull: boolean

  constructor(isFull: boolean) {
    super('too many people are signing in')
    this.isFull = isFull
  }
}

/** The passphrase is normalised, since some keyboards send composed letters and others decomposed ones. */
function bytesOf(passphrase: string): Buffer | undefined {
  const bytes = Buffer.from(normalized(passphrase, 'NFKC'))
  return passphrase.isWellFormed() && passphrase.length <= MAX_BYTES && bytes.length <= MAX_BYTES ? bytes : undefined
}

export function isPassphrase(text: string): boolean {
  return bytesOf(text) !== undefined && [...normalized(text, 'NFKC')].length >= PASSPHRASE_LENGTH
}

export class Passphrases {
  readonly #randomBytes: RandomBytes
  /** A record that no passphrase matches. */
  readonly #nobodys: string
  readonly #waiting: Readonly<Record<Asker, Waiting[]>> = { known: [], stranger: [] }
  #isComputing = false

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes
    this.#nobodys = toRecord(COST, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  }

  /** The record of a passphrase that `isPassphrase` allows. Throws PassphrasesBusy. */
  async record(passphrase: string, who: string): Promise<string> {
    const salt = this.#randomBytes(SALT_BYTES)
    return toRecord(COST, salt, await this.#hash(bytesOf(passphrase) ?? Buffer.alloc(0), salt, COST, 'known', who))
  }

  /** Takes the same time if there is no record, or if the text cannot be a passphrase. Throws PassphrasesBusy. */
  async matches(passphrase: string, record: string | undefined, asker: Asker, who: string): Promise<boolean> {
    const { cost, salt, hash } = fromRecord(record ?? this.#nobodys)
    const bytes = bytesOf(passphrase)
    const digest = await this.#hash(bytes ?? Buffer.alloc(0), salt, cost, asker, who)
    return timingSafeEqual(digest, hash) && bytes !== undefined && record !== undefined
  }

  async #hash(passphrase: Buffer, salt: Buffer, cost: Cost, asker: Asker, who: string): Promise<Buffer> {
    const queue = this.#waiting[asker]
    const isFull = queue.length >= MAX_WAITING
    if (isFull || queue.some((waiting) => waiting.who === who)) throw new PassphrasesBusy(isFull)
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    queue.push({ who, compute: () => compute(passphrase, salt, cost).then(resolve, reject) })
    if (!this.#isComputing) void this.#compute()
    return promise
  }

  async #compute(): Promise<void> {
    this.#isComputing = true
    const { known, stranger } = this.#waiting
    let isTurnOfKnown = true
    while (known.length + stranger.length > 0) {
      const isKnown: boolean = stranger.length === 0 || (isTurnOfKnown && known.length > 0)
      await (isKnown ? known : stranger).shift()?.compute()
      isTurnOfKnown = !isKnown
    }
    this.#isComputing = false
  }
}

interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

function compute(passphrase: Buffer, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, HASH_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}

function toRecord({ N, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

function fromRecord(record: string): { readonly cost: Cost; readonly salt: Buffer; readonly hash: Buffer } {
  const [kind, N, r, p, salt = '', hash = ''] = record.split('$')
  const decoded = { salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
  if (kind !== 'scrypt' || decoded.hash.length !== HASH_BYTES) throw new Error('this version cannot read a passphrase')
  return { cost: { N: Number(N), r: Number(r), p: Number(p) }, ...decoded }
}
