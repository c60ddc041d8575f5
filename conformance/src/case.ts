/**
 * A case: one question put to an implementation from outside, and the statements of the interface that it checks. A
 * case passes by returning, with or without a sentence about what was seen. Otherwise it throws: Violation, Suspicious
 * or NotRun (verdicts.ts), or an error of the transport or of the pacing.
 */

import { OPERATIONS, type Statement } from './interface.ts'
import type { Kit } from './kit.ts'

/** The sections of the interface, in the report's order. The last one judges all answers of the run. */
export const SECTIONS = [
  '1 Base address and bodies',
  '2 Records',
  ...Object.values(OPERATIONS).map(({ section }) => section),
  '4.4 Other endpoints',
  '5 Authentication',
  '7 Errors',
  '8 Limit headers',
  '8 Over the limit',
  '9 Versioning',
  'HTTP itself',
  'Every answer of this run',
] as const

export type Section = (typeof SECTIONS)[number]

/**
 * `core`: the answers of the program to well-formed requests, which any framework can give. `strict` adds the answers
 * that an HTTP parser or a proxy gives by itself, because the interface says "every response" (R15).
 */
export type Level = 'core' | 'strict'

export interface Case {
  readonly id: string
  readonly section: Section
  /** A sentence without a full stop. A requirement says what must hold, an observation what is looked at. */
  readonly title: string
  /** A case that cites a requirement can fail; one that cites none only reports. */
  readonly cites: readonly [Statement, ...Statement[]]
  /** `core` unless given. */
  readonly level?: Level
  /** `limited key`: run only if one was given. `thorough`: leaves animals of its own behind. */
  readonly needs?: readonly ('getPet' | 'limited key' | 'thorough')[]
  /** The cases after whose failure this one is not judged: docs/conformance.md says which they must be. */
  readonly restsOn?: readonly string[]
  /** May return what was seen, as a complete sentence for the report. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most cases have nothing to return, and need not say so.
  readonly run: (kit: Kit) => Promise<string | void>
}

export type CaseInSection = Omit<Case, 'section'>

export function requirement(
  about: Omit<CaseInSection, 'title' | 'run'>,
  title: string,
  run: CaseInSection['run'],
): CaseInSection {
  return { ...about, title, run }
}

/** Puts cases into a section. `shared` gives defaults; its `restsOn` is added to that of each case. */
export function inSection(
  section: Section,
  cases: readonly CaseInSection[],
  shared: Pick<Case, 'level' | 'restsOn' | 'needs'> = {},
): readonly Case[] {
  return cases.map((each) => ({
    ...shared,
    ...each,
    restsOn: [...(shared.restsOn ?? []), ...(each.restsOn ?? [])].filter((id) => id !== each.id),
    section,
  }))
}
