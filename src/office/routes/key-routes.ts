/**
 * Routes for keys. A secret is in one response only. Creating and rotating need the passphrase, because a key works
 * from anywhere. Orders by use examine only MAX_KEYS_LOOKED_AT keys, whose counters and ledger must be read.
 */
import type { FastifyInstance } from 'fastify'
import { type Clock, DAY_MS } from '../../common/clock.ts'
import { normalized } from '../../common/fold.ts'
import { printable } from '../../common/printable.ts'
import { OPERATIONS, type Operation } from '../../contract/operations.ts'
import {
  AlreadyRotated,
  editKey,
  type IssuedKey as Issued,
  issueKey,
  notBanned,
  rotateKey,
  successorOf,
} from '../../domain/keys.ts'
import { keysUsedToday, MAX_KEYS_LOOKED_AT } from '../../operator/key-use.ts'
import { isInForce, stateOf } from '../../rules/keys.ts'
import { LABEL_RULE, labelOf } from '../../rules/labels.ts'
import type { Key } from '../../store/rows.ts'
import type { IssuedKey, KeyPage, KeyUse, OfficeKey, QueryOf } from '../office-data.ts'
import { invalid, notFound, OfficeRefusal, wrongMember } from './refusals.ts'
import { addRoute, authorOf, issuerOf, type OfficeOptions } from './routes.ts'

const USE_DAYS = 30
const NOT_CREATED = 'No key was created'
const UNCHANGED = 'Nothing was changed'
const SUMMARIES = (Object.keys(OPERATIONS) as Operation[]).map((name) => [name, OPERATIONS[name].summary] as const)

export function addKeyRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store } = options
  /** Throws OfficeRefusal if the key does not exist. PostgreSQL cannot search for U+0000. */
  const keyOf = async (id: string): Promise<Key> => {
    const key = id.includes('\0') ? undefined : await store.keys.get(id)
    if (key === undefined) throw notFound(`Key ${printable(id)} does not exist.`)
    return key
  }

  addRoute(server, 'GET /api/keys', async ({ query: { text = '', sort = 'newest', page = '1' } }) =>
    listKeys({ text: text.trim(), sort, page: Number(page) }, options),
  )

  addRoute(server, 'GET /api/keys/:id', async ({ params }) => {
    const key = await keyOf(params.id)
    const successor = await successorOf(store, key)
    return {
      key: await toOfficeKey(key, options),
      successor: successor ? { id: successor.id, createdAtMs: successor.createdAtMs } : null,
    }
  })

  addRoute(server, 'GET /api/keys/:id/use', async ({ params }) => {
    const key = await keyOf(params.id)
    return { key: await toOfficeKey(key, options), operations: SUMMARIES, ...(await useOf(key.lineage, options)) }
  })

  addTermsRoutes(server, options, keyOf)

  addRoute(server, 'POST /api/keys', async (request, reply) => {
    const { label, plan, perMinute, perDay, expiresAtMs, passphrase } = request.body
    assertLabel(label, NOT_CREATED)
    await server.guard.confirmPassphrase(request, passphrase)
    const terms = { plan, custom: { perMinute, perDay }, label, expiresAtMs }
    const issued = await refusing(() => issueKey(issuerOf(request, options), terms), NOT_CREATED)
    reply.code(201)
    return toIssued(issued, null, options)
  })

  addRoute(server, 'POST /api/keys/:id/rotate', async (request, reply) => {
    const { overlapS, passphrase } = request.body
    await server.guard.confirmPassphrase(request, passphrase)
    const { id } = request.params
    await keyOf(id)
    const issued = await refusing(() => rotateKey(issuerOf(request, options), id, { overlapMs: overlapS * 1000 }))
    reply.code(201)
    return toIssued(issued, issued.oldUntilMs, options)
  })

  addRoute(server, 'POST /api/keys/:id/revoke', async (request) => {
    const { id } = request.params
    const key = await keyOf(id)
    const { label } = await toOfficeKey(key, options)
    if (asSeen(request.body.label) !== asSeen(label || id))
      throw wrongMember('label', `That is not the ${label ? 'label' : 'id'} of this key. Nothing was revoked.`)
    await store.keys.revoke(id, authorOf(request, options.clock))
    return toOfficeKey((await store.keys.get(id)) ?? key, options)
  })
}

export async function useOf(
  lineage: string | undefined,
  { store, clock }: OfficeOptions,
): Promise<Pick<KeyUse, 'days' | 'todayMs'>> {
  const today = dayOf(clock)
  const sums = await store.ledger.sums({ lineage, fromDay: today - USE_DAYS + 1, toDay: today + 1 })
  return {
    days: sums.map(({ day, operation, sums: used }) => ({ dayMs: day * DAY_MS, operation, sums: used })),
    todayMs: today * DAY_MS,
  }
}

function addTermsRoutes(server: FastifyInstance, options: OfficeOptions, keyOf: (id: string) => Promise<Key>): void {
  const { store, clock } = options

  addRoute(server, 'POST /api/keys/:id/edit', async (request) => {
    const { id } = request.params
    await keyOf(id)
    if (request.body.label) assertLabel(request.body.label, UNCHANGED)
    const { who, session } = authorOf(request, clock)
    await refusing(() => editKey({ store, clock, who, session }, id, request.body))
    return toOfficeKey(await keyOf(id), options)
  })

  addRoute(server, 'POST /api/keys/:id/unban', async (request) => {
    const { id } = request.params
    await keyOf(id)
    const outcome = await store.keys.unban(id, authorOf(request, clock))
    if (outcome === 'not banned') throw new OfficeRefusal(409, 'conflict', notBanned(id))
    return toOfficeKey(await keyOf(id), options)
  })
}

function assertLabel(label: string, outcome: string): void {
  if (labelOf(label) === undefined) throw wrongMember('label', `${outcome}: ${LABEL_RULE}.`)
}

/** The text as a person sees it: pages collapse spaces, and Unicode can spell a letter in two ways. */
function asSeen(text: string): string {
  return normalized(text).replace(/\s+/g, ' ').trim()
}

async function toIssued(issued: Issued, oldUntilMs: number | null, options: OfficeOptions): Promise<IssuedKey> {
  return { key: await toOfficeKey(issued.key, options), secret: issued.secret, oldUntilMs }
}

async function refusing<T>(work: () => Promise<T>, outcome = UNCHANGED): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`${outcome}: ${error.message}.`)
    if (!(error instanceof AlreadyRotated)) throw error
    throw new OfficeRefusal(409, 'conflict', `${outcome}: ${error.message}. Rotate that key instead.`)
  }
}

const KEYS_PER_PAGE = 50

interface KeyListQuery {
  readonly text: string
  readonly sort: NonNullable<QueryOf<'GET /api/keys'>['sort']>
  /** From 1; a number past the end means the last page. */
  readonly page: number
}

type KeyOptions = Pick<OfficeOptions, 'store' | 'access' | 'clock'>

async function listKeys({ text, sort, page: number }: KeyListQuery, options: KeyOptions): Promise<KeyPage> {
  const { keys: store } = options.store
  const [total, ahead] = await Promise.all([store.count(), keysAhead(text, sort, options)])
  const order = sort === 'used' ? 'used' : 'newest'
  const except = ahead.map(({ id }) => id)
  const pageFrom = async (offset: number) => {
    const first = ahead.slice(offset, offset + KEYS_PER_PAGE)
    const place = { offset: Math.max(0, offset - ahead.length), limit: KEYS_PER_PAGE - first.length }
    const others = await store.search({ text, order, except, ...place })
    return { found: others.found + ahead.length, keys: [...first, ...others.keys] }
  }
  let page = number
  let { found, keys } = await pageFrom((page - 1) * KEYS_PER_PAGE)
  const pages = Math.max(1, Math.ceil(found / KEYS_PER_PAGE))
  if (page > pages) {
    page = pages
    keys = (await pageFrom((page - 1) * KEYS_PER_PAGE)).keys
  }
  return { total, found, page, pages, keys: await toOfficeKeys(keys, options) }
}

async function keysAhead(text: string, sort: KeyListQuery['sort'], options: KeyOptions): Promise<readonly Key[]> {
  if (sort === 'newest') return []
  if (sort === 'used') {
    const used = await keysUsedToday(options, text)
    return used.toSorted((a, b) => b.dayUsed - a.dayUsed).map(({ key }) => key)
  }
  const { store, clock } = options
  const lineages = [...(await store.ledger.refused(dayOf(clock))).keys()]
  const { keys } = await store.keys.search({ text, order: 'newest', offset: 0, limit: MAX_KEYS_LOOKED_AT, lineages })
  const place = new Map(lineages.map((lineage, index) => [lineage, index]))
  return keys.toSorted((a, b) => (place.get(a.lineage) ?? 0) - (place.get(b.lineage) ?? 0))
}

function dayOf(clock: Clock): number {
  return Math.floor(clock.now() / DAY_MS)
}

async function toOfficeKeys(keys: readonly Key[], options: KeyOptions): Promise<OfficeKey[]> {
  const lineages = [...new Set(keys.map(({ lineage }) => lineage))]
  const refused = await options.store.ledger.refused(dayOf(options.clock), lineages)
  return Promise.all(keys.map((key) => withUse(key, refused.get(key.lineage) ?? 0, options)))
}

async function toOfficeKey(key: Key, options: KeyOptions): Promise<OfficeKey> {
  const refused = await options.store.ledger.refused(dayOf(options.clock), [key.lineage])
  return withUse(key, refused.get(key.lineage) ?? 0, options)
}

async function withUse(key: Key, refused: number, { store, access, clock }: KeyOptions): Promise<OfficeKey> {
  const { id, plan, label, perMinute, perDay, createdAtMs, expiresAtMs = null, lastUsedAtMs = null, ban = null } = key
  const { banned, bannedUntilMs = null, minuteUsed, dayUsed } = await access.peekKey(key)
  // The first key of a lineage has replaced none.
  const others = key.lineage === id ? [] : await store.keys.ofLineage(key.lineage)
  const older = others.filter((one) => one.createdAtMs < createdAtMs && isInForce(one, clock.now()))
  return {
    id,
    label: printable(label),
    plan,
    state: stateOf(key, clock.now(), banned),
    createdAtMs,
    expiresAtMs,
    lastUsedAtMs,
    replaces: older.map((one) => ({ id: one.id, expiresAtMs: one.expiresAtMs ?? null })),
    minute: { limit: perMinute, used: minuteUsed },
    day: { limit: perDay, used: dayUsed },
    refused,
    bannedUntilMs,
    ban,
  }
}
