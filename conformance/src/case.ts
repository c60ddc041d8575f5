/** A case: one question to an implementation. It passes by returning, or throws an error of verdicts.ts. */
import type { Statement } from './interface.ts'
import type { Kit } from './kit.ts'

/** `strict`: the responses that an HTTP parser or a proxy sends by itself, because R15 says "every response". */
export type Level = 'core' | 'strict'

export interface Case {
  readonly id: string
  /** A sentence without a full stop. */
  readonly title: string
  /** A case without a requirement only reports. */
  readonly cites: readonly Statement[]
  readonly level?: Level
  readonly needs?: readonly ('getPet' | 'limited key')[]
  /** Cases whose failure keeps this one from being judged. */
  readonly restsOn?: readonly string[]
  /** Can return an observation for the report, as a sentence. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most cases have nothing to return, and need not say so.
  readonly run: (kit: Kit) => Promise<string | void>
}
