/**
 * What happened, as its participants recorded it: the requests and responses of each client, the actions of the
 * nemesis, when nodes said that they count by themselves, and what was stored in the end. Times are Unix milliseconds
 * of the one machine.
 */
import { appendFileSync } from 'node:fs'

/** The node that was asked, or nginx before all of them. */
export type Via = 'node1' | 'node2' | 'node3' | 'nginx'

export interface Animal {
  readonly id: number
  readonly name: string
}

/** Each name is requested once. An invalid one is in a body that must be refused. */
export type Question =
  | { readonly create: string; readonly isValid: boolean }
  | { readonly get: number }
  | { readonly list: number }

export interface Operation {
  readonly type: 'operation'
  readonly client: string
  /** The client's requests are numbered. */
  readonly number: number
  readonly via: Via
  /** The name of the key, as in Setup. */
  readonly key: string
  readonly question: Question
  readonly startMs: number
  readonly endMs: number
  /** Undefined when there was none. */
  readonly answer: Answer | undefined
}

export interface Answer {
  readonly status: number
  /** The animals in the response: the one created or fetched, or the list. */
  readonly animals: readonly Animal[]
  /** Whether it had the three limit headers, and Retry-After on 429 and 503. */
  readonly hasHeaders: boolean
  /** Of an Error. */
  readonly message?: string
}

export const TARGETS = ['leader', 'replica', 'redis master', 'node'] as const
export const VERBS = ['kill', 'stop', 'cut', 'slow'] as const
export type Target = (typeof TARGETS)[number]
export type Verb = (typeof VERBS)[number]

export interface Fault {
  readonly type: 'fault'
  readonly verb: Verb
  readonly target: Target
  /** The server concerned: `pets1`, `redis 127.1.2.11:7001`, `node1`. */
  readonly on: string
  readonly startMs: number
  /** When the fault was lifted and everything was healthy again. */
  readonly endMs: number
}

/** A time in which a node counted by itself. Counts do not survive a process, so its lives are kept apart. */
export interface Alone {
  readonly type: 'alone'
  readonly node: Via
  readonly life: number
  readonly startMs: number
  readonly endMs: number
}

/** A time in which the process of the clients did not run, so that it may have read responses late. */
export interface Pause {
  readonly type: 'pause'
  readonly startMs: number
  readonly endMs: number
}

/** Of PostgreSQL's replication: whether a commit is acknowledged when a second server has it, or before. */
export type Mode = 'synchronous' | 'asynchronous'

export interface Setup {
  readonly type: 'setup'
  readonly mode: Mode
  readonly keys: Readonly<Record<string, { readonly perMinute: number; readonly perDay: number }>>
}

/** All animals that are stored at the end. */
export interface Final {
  readonly type: 'final'
  readonly animals: readonly Animal[]
}

export type Entry = Operation | Fault | Alone | Pause | Setup | Final

/** Writes each entry as a line of JSON at once, so that an interrupted run leaves its history. */
export class History {
  readonly entries: Entry[] = []
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  record(entry: Entry): void {
    this.entries.push(entry)
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
  }
}

export function overlaps(one: Span, other: Span): boolean {
  return one.startMs <= other.endMs && other.startMs <= one.endMs
}

export interface Span {
  readonly startMs: number
  readonly endMs: number
}
