/** What holds for all of the office: what the shelter is called, how it is reached, and its words for statuses. */
import type { PetStatus } from '../../contract/schemas.ts'
import { SETTING_NAMES, type SettingName } from '../../domain/settings.ts'
import type { StatusWords } from '../../rules/names.ts'
import { json, object } from './route.ts'

/** With a rule of its own (../../domain/settings.ts, ../../rules/labels.ts). */
const LABEL = { type: ['string', 'null'] } as const

/** Null takes a setting away. */
export const SHELTER = Object.fromEntries(SETTING_NAMES.map((name) => [name, LABEL])) as Readonly<
  Record<SettingName, typeof LABEL>
>

/** Null restores the usual word. */
const WORDS = { available: LABEL, pending: LABEL, sold: LABEL } satisfies Record<PetStatus, object>

/** Empty where it has not said so. */
export type Shelter = { readonly [Member in keyof typeof SHELTER]: string }

/** What someone does in a new office. */
export interface FirstStep {
  readonly name: 'settings' | 'import' | 'people'
  readonly isDone: boolean
}

/** The public page as this service keeps it up to date; null for what it does not have. */
export interface PublishedPage {
  readonly folder: string | null
  readonly writtenAtMs: number | null
  readonly failure: string | null
}

export const SETTINGS_ROUTES = {
  /** Those that this person may do. */
  'GET /api/first-steps': { role: 'manager', response: json<readonly FirstStep[]>() },
  /** For the sign-in. */
  'GET /api/shelter': { role: 'public', response: json<Pick<Shelter, 'name'>>() },
  'PUT /api/shelter': {
    role: 'manager',
    body: object({}, SHELTER),
    response: json<Shelter>(),
  },
  'GET /api/page': { role: 'manager', response: json<PublishedPage>() },
  /** 409 `conflict` if one is taken. */
  'PUT /api/words': {
    role: 'manager',
    body: object({}, WORDS),
    response: json<StatusWords>(),
  },
} as const
