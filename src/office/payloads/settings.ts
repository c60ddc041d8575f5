/** Routes for settings of the whole office: the shelter, its words for statuses, and first steps. */
import type { PetStatus } from '../../contract/schemas.ts'
import { SETTING_NAMES, type SettingName } from '../../domain/settings.ts'
import type { StatusWords } from '../../rules/names.ts'
import { json, object } from './route.ts'

/** Each has its own rule (../../domain/settings.ts, ../../rules/labels.ts). */
const LABEL = { type: ['string', 'null'] } as const

export const SHELTER = Object.fromEntries(SETTING_NAMES.map((name) => [name, LABEL])) as Readonly<
  Record<SettingName, typeof LABEL>
>

/** Null restores the standard word. */
const WORDS = { available: LABEL, pending: LABEL, sold: LABEL } satisfies Record<PetStatus, object>

/** Empty if not set. */
export type Shelter = { readonly [Member in keyof typeof SHELTER]: string }

export interface FirstStep {
  readonly name: 'settings' | 'import' | 'people'
  readonly isDone: boolean
}

/** The public page that this service publishes; null for unknown. */
export interface PublishedPage {
  readonly folder: string | null
  readonly writtenAtMs: number | null
  readonly failure: string | null
}

export const SETTINGS_ROUTES = {
  'GET /api/first-steps': { role: 'manager', response: json<readonly FirstStep[]>() },
  'GET /api/shelter': { role: 'public', response: json<Pick<Shelter, 'name'>>() },
  'PUT /api/shelter': { role: 'manager', body: object({}, SHELTER), response: json<Shelter>() },
  'GET /api/page': { role: 'manager', response: json<PublishedPage>() },
  /** 409 `conflict` if one is taken. */
  'PUT /api/words': { role: 'manager', body: object({}, WORDS), response: json<StatusWords>() },
} as const
