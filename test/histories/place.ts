/**
 * The real thing that a history is played on: the service in this process (shelter.ts), or nodes of their own
 * (nodes.ts).
 */
import type { Counter } from '../../src/contract/limits.ts'
import type { Issuer } from '../../src/domain/keys.ts'
import type { Author } from '../../src/store/author.ts'
import type { Entry } from '../model/operator.ts'
import { type RawAnswer, RawConnection } from '../support/http.ts'

/** At the command line, beside the service, or in the office, which is a part of it. */
export type By = 'cli' | 'office'

/** `atMs` where time is the history's own. */
export type SeenEntry = Omit<Entry, 'atMs'> & Partial<Pick<Entry, 'atMs'>>

interface SeenKey {
  readonly id: string
  readonly plan: string
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
  readonly isRevoked: boolean
  readonly times?: {
    readonly createdAtMs: number
    readonly expiresAtMs: number | undefined
    readonly usedAtMs: number | undefined
  }
}

interface SeenImport {
  readonly n: string
  readonly isUndone: boolean
}

/** All that can be seen of a shelter; the journal and the imports from the oldest on. */
export interface Seen {
  /** Pets as JSON text, by ascending id. */
  readonly animals: readonly string[]
  readonly journal: readonly SeenEntry[]
  readonly keys: readonly SeenKey[]
  readonly imports: readonly SeenImport[]
}

export interface Place extends AsyncDisposable {
  /**
   * For so long, in ms, a node may know a key as it was before it was revoked or replaced (O7); 0 where it sees that
   * at once.
   */
  readonly keysKeptMs: number
  /** The clock; a request is answered between two readings of it. */
  nowMs(): number
  /** Sends bytes, one character each, and returns the answers to so many requests as there are methods, or fewer. */
  ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]>
  /** Who changes something, and where. */
  operator(by: By): Promise<Issuer>
  /** A clean stop and a new start. */
  restart(): Promise<void>
  /** What a process holds in its memory alone is gone, and another one starts on what is stored. */
  crash(): Promise<void>
  /** What is stored of what each subject has used; undefined where a crash loses nothing of it. */
  stored(): Promise<ReadonlyMap<string, Counter> | undefined>
  /** Pets as JSON text, of all or only of those behind this id. */
  exported(after?: bigint): Promise<readonly string[]>
  seen(): Promise<Seen>
}

export function authorOf({ who, clock }: Issuer): Author {
  return { who, atMs: clock.now() }
}

const DEADLINE_MS = 30_000

/** The connection of a client, which makes another one when an answer has closed it. */
export class Connection implements Disposable {
  readonly #port: () => number
  #client: RawConnection | undefined

  constructor(port: () => number) {
    this.#port = port
  }

  async ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]> {
    this.#client ??= new RawConnection(this.#port())
    await this.#client.sendApart(bytes)
    const answers: RawAnswer[] = []
    for (const method of methods) {
      const answer = await this.#client.answer(method === 'HEAD', DEADLINE_MS)
      if (answer === undefined) break
      answers.push(answer)
      if (!/close/i.test(answer.headers.get('connection') ?? '')) continue
      this[Symbol.dispose]()
      break
    }
    return answers
  }

  [Symbol.dispose](): void {
    this.#client?.[Symbol.dispose]()
    this.#client = undefined
  }
}
