/** Routes for keys: search, use, create, edit, unban, rotate and revoke. */
import { PLAN_NAMES } from '../../contract/plans.ts'
import type { WindowUse } from '../../operator/dashboard-data.ts'
import { type KeyState, MAX_OVERLAP_S, MOST_REQUESTS } from '../../rules/keys.ts'
import type { LedgerOperation, Sums } from '../../store/ledger.ts'
import type { Key } from '../../store/rows.ts'
import { FILTER, json, object, type Sent, TEXT } from './route.ts'

const LATEST_TIME_MS = 8_640_000_000_000_000

const COUNT = { type: 'integer', minimum: 1, maximum: MOST_REQUESTS } as const
const PLAN = { enum: PLAN_NAMES }

type KeyFacts = 'id' | 'label' | 'plan' | 'createdAtMs' | 'expiresAtMs' | 'lastUsedAtMs' | 'ban'

export interface OfficeKey extends Pick<Sent<Key>, KeyFacts> {
  readonly state: KeyState
  /** Replaced keys that still work. */
  readonly replaces: readonly { readonly id: string; readonly expiresAtMs: number | null }[]
  readonly minute: WindowUse
  readonly day: WindowUse
  /** Requests refused today (UTC), including those with replaced and replacement keys. */
  readonly refused: number
  readonly bannedUntilMs: number | null
}

export interface KeyDetails {
  readonly key: OfficeKey
  readonly successor: { readonly id: string; readonly createdAtMs: number } | null
}

export interface KeyUse {
  readonly key: OfficeKey
  /** By day (UTC) and operation, oldest first, without zeros. */
  readonly days: readonly { readonly dayMs: number; readonly operation: LedgerOperation; readonly sums: Sums }[]
  readonly operations: readonly (readonly [LedgerOperation, summary: string])[]
  readonly todayMs: number
}

export interface KeyPage {
  readonly total: number
  readonly found: number
  readonly page: number
  readonly pages: number
  readonly keys: readonly OfficeKey[]
}

export interface IssuedKey {
  readonly key: OfficeKey
  readonly secret: string
  /** When the replaced key stops working; null for a new key. */
  readonly oldUntilMs: number | null
}

export const KEY_ROUTES = {
  'GET /api/keys': {
    role: 'operator',
    query: object(
      {},
      {
        text: FILTER,
        sort: { enum: ['newest', 'used', 'refused'] },
        page: { type: 'string', pattern: '^[1-9][0-9]{0,8}$' },
      },
    ),
    response: json<KeyPage>(),
  },
  'POST /api/keys': {
    role: 'operator',
    body: {
      ...object(
        { label: TEXT, plan: PLAN, passphrase: TEXT },
        { perMinute: COUNT, perDay: COUNT, expiresAtMs: { type: 'integer', minimum: 0, maximum: LATEST_TIME_MS } },
      ),
      dependencies: { perMinute: ['perDay'], perDay: ['perMinute'] },
    },
    response: json<IssuedKey>(),
  },
  'GET /api/keys/:id': { role: 'operator', response: json<KeyDetails>() },
  'GET /api/keys/:id/use': { role: 'operator', response: json<KeyUse>() },
  /** Absent members stay unchanged. */
  'POST /api/keys/:id/edit': {
    role: 'operator',
    body: { ...object({}, { label: TEXT, plan: PLAN, perMinute: COUNT, perDay: COUNT }), minProperties: 1 },
    response: json<OfficeKey>(),
  },
  /** 409 `conflict` if it is not banned. */
  'POST /api/keys/:id/unban': { role: 'operator', response: json<OfficeKey>() },
  'POST /api/keys/:id/rotate': {
    role: 'operator',
    body: object({ overlapS: { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_S }, passphrase: TEXT }),
    response: json<IssuedKey>(),
  },
  /** 400 if the label is not the key's. */
  'POST /api/keys/:id/revoke': { role: 'operator', body: object({ label: TEXT }), response: json<OfficeKey>() },
} as const
