/**
 * What a case is: one question put to an implementation from outside, and the statements of the interface that it is
 * about. A case ends well, with or without a sentence that reports what was seen, or it throws: Violation, Suspicious
 * or NotRun (verdicts.ts), or what the transport and the pacing throw.
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

/**
 * `core` is what any framework can be made to do: the answers that a program gives to well-formed requests. `strict`
 * adds the answers that a server's parser or a proxy gives by itself, for the interface says "every response" (R15).
 */
export type Level = 'core' | 'strict'

export interface Case {
  readonly id: string
  readonly section: Section
  /** A sentence without its full stop: a requirement says what holds, an observation what is looked at. */
  readonly title: string
  /** A case that cites a requirement can fail; one that cites none only reports. */
  readonly cites: readonly [Statement, ...Statement[]]
  /** `core` unless given. */
  readonly level?: Level
  /** `limited key`: only where one was given. `thorough`: it leaves animals of its own behind. */
  readonly needs?: readonly ('getPet' | 'limited key' | 'thorough')[]
  /** Cases that ask for something this one takes for granted: when one of them fails, this one has nothing to say. */
  readonly restsOn?: readonly string[]
  /** Returns what was seen, in a sentence that stands alone, where that is worth telling. */
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

/** Puts cases into a section; `shared` holds for those that do not say otherwise, and what they rest on is added. */
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
