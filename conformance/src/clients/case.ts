/**
 * What a case about clients is: a scripted server, the calls that the client is asked for, and what is held against the
 * requests that came. A case ends well or throws Fault.
 */
import type { Statement } from '../statements.ts'

/** What the client is asked for, one JSON line; an int64 is a bigint here and a JSON number on the line. */
export type Call =
  | { readonly call: 'list'; readonly status?: string; readonly limit?: number }
  | { readonly call: 'create'; readonly name: string; readonly categoryId: bigint; readonly status?: string }
  | { readonly call: 'get'; readonly petId: bigint }
  | { readonly call: 'all' }

/** What the driver says became of a call. */
export interface Told {
  /** The animal or the list, its integers as bigint; missing where the call failed. */
  readonly result?: unknown
  /** What the client says of a failure. */
  readonly error?: string
  /** The client says that the animal may have been added all the same. */
  readonly unknown?: boolean
  /** What the client warned of. */
  readonly warning?: string
  /** The client has no such call. */
  readonly unsupported?: boolean
}

/** One client with a state of its own: a process, or an object in a test. */
export interface Client {
  call(call: Call): Promise<Told>
  close(): void
}

/** A request as it came. */
export interface Seen {
  readonly atMs: number
  readonly method: string
  /** Below the base address, with the query. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** When its answer left. */
  answeredMs?: number
}

/** An answer of the script. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How late it leaves. */
  readonly afterMs?: number
  /** `cut`: the connection ends without an answer; `truncated`: in the middle of the body. */
  readonly broken?: 'cut' | 'truncated'
}

export type Script = (seen: Seen, number: number) => Reply

/** Time for the judge; a test has one of its own. */
export interface JudgeClock {
  /** Unix ms. */
  readonly now: () => number
  readonly after: (ms: number, task: () => void) => () => void
}

export interface Play {
  readonly clock: JudgeClock
  readonly key: string
  /** The address of another host, which must not see the key. */
  readonly elsewhere: string
  readonly requests: readonly Seen[]
  readonly requestsElsewhere: readonly Seen[]
  /** The first request gets the first reply, and so on; the last is for all that follow. */
  answer(...replies: readonly Reply[]): void
  script(script: Script): void
  /** Asks the client; asks another of its kind with another `number`. */
  ask(call: Call, number?: number): Promise<Told>
  wait(ms: number): Promise<void>
}

export interface ClientCase {
  readonly id: string
  readonly section: ClientSection
  /** A sentence without its full stop that says what a right client does. */
  readonly title: string
  /** `advice`: the interface does not say it. */
  readonly cites: Statement | 'advice'
  readonly play: (play: Play) => Promise<void>
}

type ClientSection =
  | 'After a refusal'
  | 'Failures'
  | 'Adding once'
  | 'Exact integers'
  | 'The key'
  | 'The limit'
  | 'Requests'

/** The client did something else than it should. */
export class Fault extends Error {
  readonly expected: string
  readonly came: string

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`)
    this.expected = expected
    this.came = came
  }
}

/** The client has no call that the case is about. */
export class Unsupported extends Error {}
