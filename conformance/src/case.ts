/**
 * What a case is: one question put to an implementation from outside, and the statements of the interface that it is
 * about. A case ends well, with or without a sentence that reports what was seen, or it throws: Violation, Suspicious
 * or NotRun (verdicts.ts), or what the transport and the pacing throw.
 */
import type { Kit } from './kit.ts'
import { FIRST_SUITE, type Statement } from './statements.ts'

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
  /**
   * `getPet` exists until its removal; the limited key only where one was given. `thorough`: it leaves animals of
   * its own behind, so it is asked only of who wants all of it.
   */
  readonly needs?: readonly ('getPet' | 'limited key' | 'thorough')[]
  /** Cases that ask for something this one takes for granted: when one of them fails, this one has nothing to say. */
  readonly restsOn?: readonly string[]
  /** Returns what was seen, in a sentence that stands alone, where that is worth telling. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most cases have nothing to return, and need not say so.
  readonly run: (kit: Kit) => Promise<string | void>
}

export type CaseInSection = Omit<Case, 'section'>

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

/** The suites that brought the cases which the first did not have, for reports. */
const LATER: Readonly<Record<string, string>> = {
  '1.1': `create-as-sent create-name-quotes create-name-markup create-name-digits create-name-null create-name-long
    create-chunked id-not-adopted ids-unique-at-once create-equal refuse-body-number refuse-body-two
    refuse-category-string-empty refuse-category-false refuse-category-array-empty refuse-status-boolean
    auth-get-unknown-key auth-basic-user auth-key-after auth-key-two-words auth-key-other-case auth-key-in-cookie
    auth-key-in-query-api_key auth-key-in-query-apiKey auth-key-in-query-key auth-key-in-query-token
    auth-key-in-query-access_token remaining-is-served retry-after-suffices limit-is-served method-invented
    method-trace connect listed-answers-limit-headers`,
  '1.2': `framing-missing`,
  '1.3': `create-name-letters create-name-percent create-at-once-as-sent refuse-comment-line refuse-comment-block
    refuse-comma-last refuse-quotes-single refuse-names-bare refuse-zero-before refuse-plus-before
    refuse-hexadecimal refuse-point-last refuse-underscores refuse-line-break refuse-escape-unknown refuse-equals
    refuse-fields-case refuse-fields-snake refuse-fields-prototype refuse-fields-inside refuse-category-infinite
    refuse-category-nan refuse-category-digits-other refuse-status-constructor refuse-status-toString
    refuse-status-proto refuse-nesting refuse-nesting-open create-escapes create-spaces create-order create-exponent
    limit-2 limit-11 limit-21 limit-33 limit-50 limit-64 limit-99 filter-default over-limit-at-once at-once-headers
    over-limit-spelling client-curl client-wget client-ab client-go client-python client-requests client-java
    client-fetch client-browser client-upper-case client-creates-curl client-creates-java client-creates-expect
    accept-any-400 accept-any-401 query-encoded query-order range type-upper-case method-override body-apart`,
}

const SINCE = new Map(
  Object.entries(LATER).flatMap(([suite, ids]) => ids.split(/\s+/).map((id) => [id, suite] as const)),
)

/** The suite that brought a case. */
export function sinceOf(id: string): string {
  return SINCE.get(id) ?? FIRST_SUITE
}
