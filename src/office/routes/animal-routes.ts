/** Routes for animals. A change names the version it was made from, so a newer one is reported, not overwritten. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DAY_MS, HOUR_MS } from '../../common/clock.ts'
import { parseInt64 } from '../../contract/int64.ts'
import { shelterZone } from '../../domain/zone.ts'
import { brief, RESTORABLE_MS } from '../../rules/bounds.ts'
import { mayUndo } from '../../rules/changes.ts'
import {
  ANIMAL_MEMBERS,
  type AnimalChanges,
  type AnimalMembers,
  ofTexts,
  readText,
  ruleOf,
  type TextMember,
} from '../../rules/members.ts'
import { hasRole } from '../../rules/roles.ts'
import { type AnimalFilter, idOf, type Order } from '../../rules/search.ts'
import type { AnimalRecords } from '../../store/records.ts'
import type { AnimalRecord } from '../../store/rows.ts'
import { waitOf } from '../../store/waits.ts'
import type { BodyOf, QueryOf } from '../office-data.ts'
import { assertFree, conflict, int64Of, nameOf, noAnimal, roleOf, toFilter, toListed, toTarget } from './animals.ts'
import { toJournalLine } from './journal-routes.ts'
import { notFound, wrongMember } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions, toSent } from './routes.ts'

const PER_PAGE = 50
/** The day begins this much earlier in the east. */
const MOST_AHEAD_MS = 14 * HOUR_MS
const NAMESAKES = 5
const HISTORY_SHOWN = 100
const TEXT_UNITS = Object.values(ofTexts((_name, { most }) => most)).reduce((sum, most) => sum + most, 0)
/** A character can be written as \uXXXX; the rest of the body is short. */
const bodyFor = (nameBytes: number) => 6 * (nameBytes + TEXT_UNITS) + 4_096

type FormValues = Omit<Required<BodyOf<'PATCH /api/animals/:id'>>, 'version'>
const READERS: {
  readonly [Name in keyof AnimalMembers]: (typed: FormValues[Name], bodyLimit: number) => AnimalMembers[Name]
} = {
  name: nameOf,
  categoryId: (value) => int64Of(value, 'The category'),
  status: (status) => status,
  ...ofTexts((name) => (value: string) => readTyped(name, value)),
}

export function addAnimalRoutes(server: FastifyInstance, options: OfficeOptions): void {
  addList(server, options)
  addReading(server, options)
  addChanges(server, options)
}

function addList(server: FastifyInstance, { store, clock }: OfficeOptions): void {
  const { records } = store

  addRoute(server, 'GET /api/animals', async (request) => {
    const { query } = request
    const asOfMs = clock.now()
    const zone = await shelterZone(store)
    const page = () => pageOf(records, { ...toPageQuery(query), zone })
    const { pets, counts, first, newer, older } = await server.reads.run(request, page)
    const removed = pets.filter(({ removedAtMs }) => removedAtMs !== undefined).map(({ id }) => BigInt(id))
    const authors = removed.length === 0 ? undefined : await records.authors('remove', removed)
    const origins = await store.origins.provenance(pets.map(({ id }) => BigInt(id)))
    const animals = pets.map((pet, at) => ({
      ...toListed(pet),
      reference: origins[at]?.reference ? brief(origins[at].reference) : null,
      wait: waitOf(origins[at], zone) ?? null,
      removedBy: authors?.get(BigInt(pet.id))?.who ?? null,
    }))
    const [[, importSource = null] = []] = query.import ? await store.imports.sources([BigInt(query.import)]) : []
    return { asOfMs, animals, importSource, counts, first, newer, older }
  })
}

/** A cursor is the number of animals before the page; `end` means the last page. */
async function pageOf(records: AnimalRecords, query: ReturnType<typeof toPageQuery> & { readonly zone: string }) {
  const { status, limit } = query
  const counts = await records.tally(query)
  const { available, pending, sold, none } = counts
  const all = status === undefined ? available + pending + sold + none : counts[status]
  const offset = query.offset === 'end' ? Math.max(0, Math.ceil(all / limit) - 1) * limit : query.offset
  const pets = await records.find({ ...query, offset, isBrief: true })
  const removed = offset === 0 && status === undefined ? await removedOf(records, query) : []
  return {
    pets: [...removed, ...pets],
    counts: status === 'removed' ? counts : { ...counts, removed: 0 },
    first: offset + 1,
    newer: offset === 0 ? null : String(Math.max(0, offset - limit)),
    older: offset + limit >= all ? null : String(offset + limit),
  }
}

async function removedOf(
  records: AnimalRecords,
  { text, categoryId, importN }: AnimalFilter,
): Promise<readonly AnimalRecord[]> {
  const id = importN === undefined ? idOf(text) : undefined
  const pet = id === undefined ? undefined : await records.get(id)
  const isMeant = pet?.removedAtMs !== undefined && (categoryId ?? BigInt(pet.categoryId)) === BigInt(pet.categoryId)
  return pet !== undefined && isMeant ? [pet] : []
}

function addReading(server: FastifyInstance, { store, bodyLimit }: OfficeOptions): void {
  const { records } = store

  addRoute(server, 'GET /api/animals/namesakes', async (request) => {
    const text = nameOf(request.query.name, bodyLimit)
    if (text === '') return []
    const criteria = { text, isWhole: true, status: undefined, isBrief: true, limit: NAMESAKES }
    const pets = await server.reads.run(request, () => records.find(criteria))
    const ids = pets.map(({ id }) => BigInt(id))
    const added = await records.authors('add', ids)
    return pets.map((pet) => {
      const by = added.get(BigInt(pet.id))
      return { animal: toListed(pet), addedAtMs: by?.atMs ?? null, addedBy: by?.who ?? null }
    })
  })

  addRoute(server, 'GET /api/animals/:id', async (request) => {
    const { params } = request
    const id = petId(params)
    const pet = await records.get(id)
    if (pet === undefined) throw noAnimal(params.id)
    const history = await records.journal({ petId: id, isBrief: true, limit: HISTORY_SHOWN })
    const isRemoved = pet.removedAtMs !== undefined
    // The page removes an animal instead of undoing its addition.
    const newest = history[0]?.act === 'add' ? undefined : history[0]?.act
    const [origin] = await store.origins.provenance([id])
    const lines = history.map(toJournalLine)
    const facts = {
      purgedAtMs: pet.removedAtMs === undefined ? null : pet.removedAtMs + RESTORABLE_MS,
      mayUndo: hasRole(roleOf(request), 'staff') && mayUndo(newest, isRemoved),
      origin: origin?.origin ? toSent(origin.origin) : null,
      wait: waitOf(origin, await shelterZone(store)) ?? null,
      leftAtMs: origin?.leftMs ?? null,
      ...ofTexts((name) => origin?.[name] ?? null),
    }
    const ns = [...lines.map(({ importN }) => importN), facts.origin?.importN].flatMap((n) => (n ? [BigInt(n)] : []))
    const imports = Object.fromEntries([...(await store.imports.sources(ns))].map(([n, source]) => [String(n), source]))
    return { animal: toSent(pet), ...facts, history: lines, imports }
  })
}

function addChanges(server: FastifyInstance, { store, clock, bodyLimit }: OfficeOptions): void {
  const { records } = store
  const by = (request: FastifyRequest) => authorOf(request, clock)

  addRoute(server, 'POST /api/animals', { bodyLimit: bodyFor(bodyLimit) }, async (request, reply) => {
    const { body } = request
    const values = {
      name: nameOf(body.name, bodyLimit),
      categoryId: int64Of(body.categoryId, 'The category'),
      ...ofTexts((name) => readTyped(name, body[name] ?? '')),
      cameOn: body.arrivedOn === undefined ? undefined : dayOf(body.arrivedOn, clock.now()),
      ...(body.status && { status: body.status }),
    }
    const { pet, isNew, ...outcome } = await records.add(values, by(request), body.formToken)
    assertFree(outcome)
    if (pet === undefined) throw notFound('The animal that this form added was deleted permanently.')
    reply.code(isNew ? 201 : 200)
    return toSent(pet)
  })

  addRoute(server, 'PATCH /api/animals/:id', { bodyLimit: bodyFor(bodyLimit) }, async (request) => {
    const { body, params } = request
    const target = toTarget(String(petId(params)), body.version)
    const { changed, pets, conflicts, ...outcome } = await records.change(
      [target],
      readChanges(body, bodyLimit),
      by(request),
    )
    assertFree(outcome)
    if (pets[0] !== undefined) return { animal: toSent(pets[0]), isChanged: changed > 0 }
    const current = conflicts[0] ?? (await records.get(BigInt(params.id)))
    throw current === undefined ? noAnimal(params.id) : conflict(current)
  })
}

function readChanges(body: BodyOf<'PATCH /api/animals/:id'>, bodyLimit: number): AnimalChanges {
  const read = <Name extends keyof AnimalMembers>(name: Name, value: FormValues[Name]) =>
    READERS[name](value, bodyLimit)
  const names = ANIMAL_MEMBERS.filter((name) => body[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, read(name, body[name] as FormValues[typeof name])]))
}

function readTyped(name: TextMember, value: string): string | null {
  const text = value.trim() === '' ? null : readText(name, value)
  if (text === undefined) throw wrongMember(name, `Type another ${name}: ${ruleOf(name)}.`)
  return text
}

/** Returns the day since 1970. Throws OfficeRefusal if it is invalid or still to come in every time zone. */
function dayOf(text: string, nowMs: number): number {
  const day = Date.parse(text) / DAY_MS
  if (!(day <= (nowMs + MOST_AHEAD_MS) / DAY_MS)) throw wrongMember('arrivedOn', `${text} cannot be the arrival date.`)
  return day
}

function petId({ id }: { readonly id: string }): bigint {
  const value = parseInt64(id)
  if (value === undefined) throw noAnimal(id)
  return value
}

function toPageQuery({ sort, before, after, limit, ...filters }: QueryOf<'GET /api/animals'>) {
  const cursor = before ?? after ?? '0'
  const order: Order = sort || (filters.text?.trim() ? 'match' : 'newest')
  const offset = cursor === 'end' ? cursor : Number(cursor)
  return { ...toFilter(filters), order, offset, limit: limit === undefined ? PER_PAGE : Number(limit) } as const
}
