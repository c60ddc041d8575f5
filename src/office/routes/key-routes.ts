/**
 * The office's routes for keys: search, issue, rotate, revoke. A secret is in one response only, which no cache may
 * keep. Issuing and rotating ask for the passphrase again, because a key works from anywhere.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { printable } from '../../common/printable.ts'
import { PLAN_NAMES } from '../../contract/plans.ts'
import { AlreadyRotated, type IssuedKey as Issued, type Issuer, issueKey, rotateKey } from '../../domain/keys.ts'
import type { Key } from '../../store/rows.ts'
import type { IssuedKey, KeyPage, NewKey, OfficeKey } from '../office-data.ts'
import { KEY_SORTS, type KeySort, listKeys, toOfficeKey } from './key-list.ts'
import {
  authorOf,
  confirmPassphrase,
  FILTER,
  invalid,
  notFound,
  type OfficeOptions,
  OfficeRefusal,
  required,
  TEXT,
} from './routes.ts'

const MAX_OVERLAP_S = 31_536_000
const LATEST_TIME_MS = 8_640_000_000_000_000

const KEYS_QUERY = {
  type: 'object',
  properties: {
    text: { ...FILTER, default: '' },
    sort: { enum: KEY_SORTS, default: 'newest' },
    page: { type: 'string', pattern: '^[1-9][0-9]{0,8}$', default: '1' },
  },
} as const
const COUNT = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const
const NEW_KEY = {
  type: 'object',
  required: ['label', 'plan', 'passphrase'],
  properties: {
    label: TEXT,
    plan: { enum: PLAN_NAMES },
    perMinute: COUNT,
    perDay: COUNT,
    expiresAtMs: { type: 'integer', minimum: 0, maximum: LATEST_TIME_MS },
    passphrase: TEXT,
  },
  dependencies: { perMinute: ['perDay'], perDay: ['perMinute'] },
} as const
const ROTATION = required({ overlapS: { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_S }, passphrase: TEXT })

interface KeysQuery {
  readonly text: string
  readonly sort: KeySort
  readonly page: string
}

interface ById {
  readonly Params: { readonly id: string }
}

export function addKeyRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store } = options
  const config = { role: 'operator' } as const
  /** Throws OfficeRefusal if there is none. PostgreSQL cannot be asked for a text with U+0000. */
  const keyOf = async (id: string): Promise<Key> => {
    const key = id.includes('\0') ? undefined : await store.keys.get(id)
    if (key === undefined) throw notFound(`There is no key ${printable(id)}.`)
    return key
  }

  server.get<{ Querystring: KeysQuery }>(
    '/api/keys',
    { config, schema: { querystring: KEYS_QUERY } },
    ({ query: { text, sort, page } }): Promise<KeyPage> =>
      listKeys({ text: text.trim(), sort, page: Number(page) }, options),
  )

  server.post<{ Body: NewKey }>(
    '/api/keys',
    { config, schema: { body: NEW_KEY } },
    async (request, reply): Promise<IssuedKey> => {
      const { label, plan, perMinute, perDay, expiresAtMs, passphrase } = request.body
      if (expiresAtMs !== undefined && expiresAtMs <= options.clock.now()) {
        throw invalid('The key would have expired already; give a later time.')
      }
      await confirmPassphrase(request, passphrase)
      const custom = perMinute === undefined || perDay === undefined ? undefined : { perMinute, perDay }
      const wanted = { plan, custom, label: label.trim(), expiresAtMs }
      const issued = await refusing(() => issueKey(issuer(request, options), wanted))
      reply.code(201)
      return toIssued(issued, null, options)
    },
  )

  server.post<ById & { Body: { readonly overlapS: number; readonly passphrase: string } }>(
    '/api/keys/:id/rotate',
    { config, schema: { body: ROTATION } },
    async (request, reply): Promise<IssuedKey> => {
      const { overlapS, passphrase } = request.body
      await confirmPassphrase(request, passphrase)
      const { id } = request.params
      await keyOf(id)
      const issued = await refusing(() => rotateKey(issuer(request, options), id, { overlapMs: overlapS * 1000 }))
      reply.code(201)
      return toIssued(issued, issued.oldUntilMs, options)
    },
  )

  server.post<ById & { Body: { readonly label: string } }>(
    '/api/keys/:id/revoke',
    { config, schema: { body: required({ label: TEXT }) } },
    async (request): Promise<OfficeKey> => {
      const { id } = request.params
      const key = await keyOf(id)
      const { label } = await toOfficeKey(key, options)
      if (asSeen(request.body.label) !== asSeen(label || id)) {
        throw invalid(`That is not the ${label ? 'label' : 'id'} of this key. Nothing was revoked.`)
      }
      await store.keys.revoke(id, authorOf(request, options.clock))
      return toOfficeKey((await store.keys.get(id)) ?? key, options)
    },
  )
}

/** The text as a person sees it: pages draw several spaces as one, and a letter may have two spellings in Unicode. */
function asSeen(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function issuer(request: FastifyRequest, { store, clock, randomBytes }: OfficeOptions): Issuer {
  const { who, session } = authorOf(request, clock)
  return { store, clock, randomBytes, who, session }
}

async function toIssued(issued: Issued, oldUntilMs: number | null, options: OfficeOptions): Promise<IssuedKey> {
  return { key: await toOfficeKey(issued.key, options), secret: issued.secret, oldUntilMs }
}

/** Turns refusals of the domain into those of the office. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`Nothing was changed: ${error.message}.`)
    if (!(error instanceof AlreadyRotated)) throw error
    throw new OfficeRefusal(409, 'conflict', `Nothing was changed: ${error.message}; rotate that one instead.`)
  }
}
