/** The service that a history is played on: in this process (shelter.ts), or as nodes (nodes.ts). */
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
  readonly animals: readonly string[]
  readonly journal: readonly SeenEntry[]
  readonly keys: readonly SeenKey[]
  readonly imports: readonly SeenImport[]
}

export interface Place extends AsyncDisposable {
  /** How long, in ms, a node might know a key as it was before a change (O7). */
  readonly keysKeptMs: number
  nowMs(): number
  /** Sends bytes, one character each, and returns the answers to so many requests as there are methods, or fewer. */
  ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]>
  operator(by: By): Promise<Issuer>
  restart(): Promise<void>
  /** What a process holds in its memory alone is gone, and another one starts on what is stored. */
  crash(): Promise<void>
  /** What is stored of what each subject has used; undefined where a crash loses nothing of it. */
  stored(): Promise<ReadonlyMap<string, Counter> | undefined>
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
