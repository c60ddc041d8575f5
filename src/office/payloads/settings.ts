/** What holds for all of the office: what the shelter is called, how it is reached, and its words for statuses. */
import type { PetStatus } from '../../contract/schemas.ts'
import type { StatusWords } from '../../rules/names.ts'
import { json, object } from './route.ts'

const LINE = { type: ['string', 'null'], maxLength: 200, pattern: '^[^\\0]*$' } as const
/** With a rule of its own (rules/labels.ts). */
const LABEL = { type: ['string', 'null'] } as const

/** Null takes a text away. */
export const SHELTER = {
  name: LABEL,
  telephone: LINE,
  address: LINE,
  email: LINE,
  /** Where its website says how to adopt. */
  adopt: LINE,
  /** Where the folder of its public page of the animals is, as https://…/animals/ */
  page: LINE,
  /** The language of the public page, as de; English without one. */
  language: LINE,
  /** In which its months begin, as `Europe/Berlin`. */
  zone: LINE,
}

/** Null restores the usual word. */
const WORDS = { available: LABEL, pending: LABEL, sold: LABEL } satisfies Record<PetStatus, object>

/** Empty where it has not said so. */
export type Shelter = { readonly [Member in keyof typeof SHELTER]: string }

/** What somebody does in a new office. */
export interface FirstStep {
  readonly name: 'name' | 'import' | 'people' | 'keys'
  readonly state: 'open' | 'done' | 'skipped'
}

export const SETTINGS_ROUTES = {
  /** Those that this person may do. */
  'GET /api/first-steps': { role: 'manager', response: json<readonly FirstStep[]>() },
  'POST /api/first-steps/:name/skip': { role: 'manager', response: json<readonly FirstStep[]>() },
  /** For the sign-in. */
  'GET /api/shelter': { role: 'public', response: json<Pick<Shelter, 'name'>>() },
  'PUT /api/shelter': {
    role: 'manager',
    body: object({}, SHELTER),
    response: json<Shelter>(),
  },
  /** 409 `conflict` if one is taken. */
  'PUT /api/words': {
    role: 'manager',
    body: object({}, WORDS),
    response: json<StatusWords>(),
  },
} as const
