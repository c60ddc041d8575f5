/**
 * A case: one question put to an implementation from outside, and the statements of the interface that it checks. A
 * case passes by returning, with or without a sentence about what was seen. Otherwise it throws what verdicts.ts names.
 */
import type { Statement } from './interface.ts'
import type { Kit } from './kit.ts'

/**
 * `core`: the answers of the program to well-formed requests, which any framework can give. `strict` adds the answers
 * that an HTTP parser or a proxy gives by itself, because the interface says "every response" (R15).
 */
export type Level = 'core' | 'strict'

export interface Case {
  readonly id: string
  /** A sentence without a full stop. A requirement says what must hold, an observation what is looked at. */
  readonly title: string
  /** A case that cites a requirement can fail; one that cites none only reports. */
  readonly cites: readonly Statement[]
  /** `core` unless given. */
  readonly level?: Level
  readonly needs?: readonly ('getPet' | 'limited key')[]
  /** The cases after whose failure this one is not judged. */
  readonly restsOn?: readonly string[]
  /** May return what was seen, as a complete sentence for the report. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most cases have nothing to return, and need not say so.
  readonly run: (kit: Kit) => Promise<string | void>
}
