/** What can be changed of an animal, each member declared once. The compiler requires columns and a form for each. */
import { normalized } from '../common/fold.ts'
import { numberText, parseJson } from '../contract/json.ts'
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'
import { isStorableText } from '../contract/validate.ts'

/** Texts of an animal that the API never shows. */
const TEXTS = {
  reference: { most: 200, hint: 'Its ID in another system, if it has one.' },
} as const satisfies Readonly<Record<string, { readonly most: number; readonly hint: string }>>

export type TextMember = keyof typeof TEXTS

export const TEXT_MEMBERS = Object.keys(TEXTS) as readonly TextMember[]

export function ofTexts<T>(make: (name: TextMember, rule: (typeof TEXTS)[TextMember]) => T) {
  return Object.fromEntries(TEXT_MEMBERS.map((name) => [name, make(name, TEXTS[name])])) as Record<TextMember, T>
}

export interface PublicMembers {
  readonly name: string
  readonly categoryId: bigint
  /** Null for none (O4). */
  readonly status: PetStatus | null
}

/** A text is null for none. */
export interface AnimalMembers extends PublicMembers, Readonly<Record<TextMember, string | null>> {}

/** New values of an animal. An absent member stays unchanged. */
export type AnimalChanges = Partial<AnimalMembers>

/** How each member is read from the journal, with an exact int64. */
const READERS: { readonly [Name in keyof AnimalMembers]: (json: unknown) => AnimalMembers[Name] } = {
  name: String,
  categoryId: (json) => BigInt(numberText(json) ?? 0),
  status: (json) => (isPetStatus(json) ? json : null),
  ...ofTexts(() => (json: unknown) => (typeof json === 'string' ? json : null)),
}

export const ANIMAL_MEMBERS = Object.keys(READERS) as readonly (keyof AnimalMembers)[]

/** The API has its own wording. */
export function nameRefusal(name: string, mostBytes: number): string | undefined {
  if (!isStorableText(name)) return 'contains a character that cannot be stored; type it again'
  const bytes = Buffer.byteLength(name)
  return bytes <= mostBytes ? undefined : `has ${bytes} bytes, and ${mostBytes} are allowed; shorten it`
}

export function ruleOf(name: TextMember): string {
  return `the ${name} must be text of 1 to ${TEXTS[name].most} characters`
}

export function readText(name: TextMember, input: string): string | undefined {
  const text = normalized(input.trim())
  return text !== '' && text.length <= TEXTS[name].most && isStorableText(text) ? text : undefined
}

export function readMembers(json: string | undefined): AnimalChanges {
  const values = (json === undefined ? {} : parseJson(json)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    ANIMAL_MEMBERS.filter((name) => Object.hasOwn(values, name)).map((name) => [name, READERS[name](values[name])]),
  )
}

/** The members that differ, as the journal writes them. New members are recorded only with a value. */
export function difference(before: AnimalChanges, changes: AnimalChanges) {
  const from: string[] = []
  const to: string[] = []
  for (const name of ANIMAL_MEMBERS) {
    const [was, now] = [toJson(before[name]), toJson(changes[name])]
    if (now === undefined || was === now || (was === undefined && now === 'null')) continue
    if (was !== undefined) from.push(`"${name}":${was}`)
    to.push(`"${name}":${now}`)
  }
  return to.length === 0 ? undefined : { from: from.length === 0 ? undefined : `{${from}}`, to: `{${to}}` }
}

function toJson(value: AnimalMembers[keyof AnimalMembers] | undefined): string | undefined {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
