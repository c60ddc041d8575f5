/**
 * What a case is: one question put to an implementation from outside, and the statements of the interface that it is
 * about. A case ends well, with or without a sentence that reports what was seen, or it throws a Violation (violation.ts)
 * of a requirement, or NotRun where the question could not be put.
 */
import type { Kit } from './kit.ts'
import type { Statement } from './statements.ts'

/** The sections of the interface, in order, as the report groups by them. The last one looks back on the whole run. */
export const SECTIONS = [
  '1 Base address and bodies',
  '2 Records',
  '4.1 List animals',
  '4.2 Add an animal',
  '4.3 Get an animal',
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

export interface Case {
  readonly id: string
  readonly section: Section
  /** A sentence without its full stop: a requirement says what holds, an observation what is looked at. */
  readonly title: string
  /** A case that cites a requirement can fail; one that cites none only reports. */
  readonly cites: readonly [Statement, ...Statement[]]
  /** `getPet` exists until its removal; the limited key only where one was given. */
  readonly needs?: readonly ('getPet' | 'limited key')[]
  /**
   * Returns what was seen, in a sentence that stands alone, where that is worth telling. Throws Violation, NotRun,
   * NoAnswer or AllowanceSpent.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most cases have nothing to return, and need not say so.
  readonly run: (kit: Kit) => Promise<string | void>
}

/** The question could not be put; the message says why. */
export class NotRun extends Error {}

export function inSection(section: Section, cases: readonly Omit<Case, 'section'>[]): readonly Case[] {
  return cases.map((each) => ({ ...each, section }))
}
