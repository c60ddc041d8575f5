/**
 * The office's routes for keys: search, issue, rotate and revoke. A secret is in one answer only, which no cache may keep. Who
 * issues or rotates a key gives the passphrase again, because whoever holds a key can use it anywhere.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { printable } from '../../common/printable.ts'
import { PLAN_NAMES, PLANS } from '../../contract/plans.ts'
import {
  AlreadyRotated,
  type IssuedKey as Issued,
  type Issuer,
  issueKey,
  type KeyRequest,
  rotateKey,
} from '../../domain/keys.ts'
import type { Key } from '../../store/rows.ts'
import type { IssuedKey, KeyPage, OfficeKey } from '../office-data.ts'
import { describeKey, type KeySort, listKeys } from './key-list.ts'
import { authorOf, confirmPassphrase, type OfficeOptions, OfficeRefusal } from './routes.ts'

const SORTS: readonly KeySort[] = ['newest', 'used', 'refused']
/** No label is longer, whatever its characters. */
const LONGEST_TEXT = 400
const LONGEST_OVERLAP_S = 31_536_000
const LATEST_TIME_MS = 8_640_000_000_000_000
/** What arrives as JSON; nothing of it is believed. */
type Fields = Readonly<Record<string, unknown>>

export function addKeyRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store } = options
  const config = { role: 'operator' } as const
  /** Throws OfficeRefusal if there is none. PostgreSQL cannot be asked for a text with U+0000. */
  const keyOf = async (id: string): Promise<Key> => {
    const key = id.includes('\0') ? undefined : await store.keys.get(id)
    if (key === undefined) throw new OfficeRefusal(404, 'not_found', `There is no key ${printable(id)}.`)
    return key
  }

  server.get<{ Querystring: Fields }>('/api/keys', { config }, async (request): Promise<KeyPage> => {
    const { text = '', sort = 'newest', page = '1' } = request.query
    const sorted = SORTS.find((one) => one === sort)
    if (sorted === undefined) throw invalid(`The sort is one of ${SORTS.join(', ')}.`)
    if (typeof text !== 'string' || text.length > LONGEST_TEXT || text.includes('\0')) {
      throw invalid('The text to search for is too long, or holds what no label does.')
    }
    if (typeof page !== 'string' || !/^[1-9]\d{0,8}$/.test(page)) throw invalid('The page is a number from 1.')
    return listKeys({ text: text.trim(), sort: sorted, page: Number(page) }, options)
  })

  server.post('/api/keys', { config }, async (request, reply): Promise<IssuedKey> => {
    const fields = fieldsOf(request)
    const wanted = keyRequest(fields, options.clock())
    await confirmPassphrase(request, textOf(fields, 'passphrase'))
    const issued = await refusing(() => issueKey(issuer(request, options), wanted))
    reply.code(201)
    return toIssued(issued, null, options)
  })

  server.post<{ Params: { id: string } }>(
    '/api/keys/:id/rotate',
    { config },
    async (request, reply): Promise<IssuedKey> => {
      const fields = fieldsOf(request)
      const overlapS = wholeNumber(fields.overlapS, 0, LONGEST_OVERLAP_S, 'The old key works on for 0 s to a year')
      await confirmPassphrase(request, textOf(fields, 'passphrase'))
      const { id } = request.params
      await keyOf(id)
      const issued = await refusing(() => rotateKey(issuer(request, options), id, { overlapMs: overlapS * 1000 }))
      reply.code(201)
      return toIssued(issued, issued.oldUntilMs, options)
    },
  )

  server.post<{ Params: { id: string } }>('/api/keys/:id/revoke', { config }, async (request): Promise<OfficeKey> => {
    const typed = textOf(fieldsOf(request), 'label')
    const { id } = request.params
    const key = await keyOf(id)
    const { label } = await describeKey(key, options)
    if (asSeen(typed) !== asSeen(label || id)) {
      throw invalid(`That is not the ${label ? 'label' : 'id'} of this key. Nothing was revoked.`)
    }
    await store.keys.revoke(id, authorOf(request, options.clock))
    return describeKey((await store.keys.get(id)) ?? key, options)
  })
}

/** What a person sees of a text: pages draw several spaces as one, and one letter may be spelled in two ways. */
function asSeen(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function issuer(request: FastifyRequest, { store, clock, randomBytes }: OfficeOptions): Issuer {
  return { store, clock, randomBytes, who: authorOf(request, clock).who }
}

async function toIssued(issued: Issued, oldUntilMs: number | null, options: OfficeOptions): Promise<IssuedKey> {
  return { key: await describeKey(issued.key, options), secret: issued.secret, oldUntilMs }
}

/** What the domain says of a request that cannot be fulfilled, as the office says it. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`Nothing was changed: ${error.message}.`)
    if (!(error instanceof AlreadyRotated)) throw error
    throw new OfficeRefusal(409, 'conflict', `Nothing was changed: ${error.message}; rotate that one instead.`)
  }
}

/** Throws OfficeRefusal. */
function keyRequest(fields: Fields, nowMs: number): KeyRequest {
  const plan = PLAN_NAMES.find((one) => one === fields.plan)
  if (plan === undefined) throw invalid(`The plan is one of ${PLAN_NAMES.join(', ')}.`)
  const { perMinute, perDay, expiresAtMs } = fields
  const custom =
    perMinute === undefined && perDay === undefined
      ? undefined
      : {
          perMinute: wholeNumber(perMinute, 1, Number.MAX_SAFE_INTEGER, 'The requests a minute are a number from 1'),
          perDay: wholeNumber(perDay, 1, Number.MAX_SAFE_INTEGER, 'The requests a day are a number from 1'),
        }
  if (PLANS[plan] === undefined && custom === undefined) {
    throw invalid('An Enterprise key needs its own two limits: requests a minute and requests a day.')
  }
  if (expiresAtMs !== undefined) {
    if (wholeNumber(expiresAtMs, 0, LATEST_TIME_MS, 'The expiry is a time') <= nowMs) {
      throw invalid('The key would have expired already; give a later time.')
    }
  }
  return { plan, custom, label: textOf(fields, 'label').trim(), expiresAtMs: expiresAtMs as number | undefined }
}

function fieldsOf({ body }: FastifyRequest): Fields {
  if (typeof body !== 'object' || body === null) throw invalid('The body is a JSON object.')
  return body as Fields
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw invalid(`The ${name} is missing.`)
  return value
}

function wholeNumber(value: unknown, from: number, to: number, rule: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < from || value > to) throw invalid(`${rule}.`)
  return value
}

function invalid(message: string): OfficeRefusal {
  return new OfficeRefusal(400, 'invalid', message)
}
