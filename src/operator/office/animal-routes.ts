/**
 * The office's routes for animals: pages of them, one with its history, adding, and changing. A change names the version
 * that it was made from: what somebody else has done meanwhile is shown and not overwritten.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseInt64 } from '../../contract/int64.ts'
import { Limit, PetStatus } from '../../contract/schemas.ts'
import { isStorableText } from '../../contract/validate.ts'
import { type Outcome, type PetChanges, RESTORABLE_MS } from '../../store/records.ts'
import type {
  Animal,
  AnimalChange,
  AnimalPage,
  AnimalView,
  Namesake,
  NewAnimal,
  StatusChange,
  StatusChanged,
} from '../office-data.ts'
import { pageOf } from './animal-pages.ts'
import {
  conflict,
  INT64,
  int64Of,
  invalid,
  nameOf,
  noAnimal,
  notFound,
  STATUS,
  statusOf,
  TEXT,
  toAnimal,
} from './animals.ts'
import { toJournalLine } from './journal-lines.ts'
import { authorOf, type OfficeOptions } from './routes.ts'

const PER_PAGE = 50
/** In UTF-16 units: nobody types more, and each costs a step of the search. */
const LONGEST_TEXT = 1_000
const NAMESAKES = 5
const NAMESAKES_MS = 500
const HISTORY_SHOWN = 100
/** Animals that are ticked and changed at once: as many as a few pages show. */
const MOST_AT_ONCE = 1_000
/** A character of a name may be written as \uXXXX; the rest of the body is short. */
const bodyFor = (nameBytes: number) => 6 * nameBytes + 4_096

const PAGE_QUERY = {
  type: 'object',
  properties: {
    text: { ...TEXT, maxLength: LONGEST_TEXT },
    status: { enum: [...PetStatus.enum, 'none', ''] },
    before: INT64,
    after: INT64,
    limit: { type: 'string', pattern: '^[1-9][0-9]{0,2}$' },
  },
} as const
const NAMESAKES_QUERY = { type: 'object', required: ['name'], properties: { name: TEXT } } as const
const NEW_ANIMAL = {
  type: 'object',
  required: ['name', 'categoryId', 'status', 'once'],
  properties: { name: TEXT, categoryId: INT64, status: STATUS, once: { type: 'string', pattern: '^[0-9a-f]{32}$' } },
} as const
const ANIMAL_CHANGE = {
  type: 'object',
  required: ['version'],
  properties: { version: INT64, name: TEXT, categoryId: INT64, status: STATUS },
} as const
const VERSION = { type: 'object', required: ['version'], properties: { version: INT64 } } as const
const STATUS_CHANGE = {
  type: 'object',
  required: ['animals', 'status'],
  properties: {
    status: STATUS,
    animals: {
      type: 'array',
      maxItems: MOST_AT_ONCE,
      items: { type: 'object', required: ['id', 'version'], properties: { id: INT64, version: INT64 } },
    },
  },
} as const

const FOR_STAFF = { config: { role: 'staff' } } as const
const FOR_MANAGERS = { config: { role: 'manager' } } as const

interface PageText {
  readonly text?: string
  readonly status?: PetStatus | 'none' | ''
  readonly before?: string
  readonly after?: string
  readonly limit?: string
}

interface ById {
  readonly Params: { readonly id: string }
}

export function addAnimalRoutes(server: FastifyInstance, options: OfficeOptions): void {
  addReading(server, options)
  addChanges(server, options)
}

function addReading(server: FastifyInstance, { store, clock, bodyLimit }: OfficeOptions): void {
  const { records } = store

  server.get<{ Querystring: PageText }>(
    '/api/animals',
    { ...FOR_STAFF, schema: { querystring: PAGE_QUERY } },
    async ({ query }): Promise<AnimalPage> => {
      const asOfMs = clock()
      const [page, counts] = await Promise.all([pageOf(records, toPageQuery(query)), store.pets.count()])
      return { asOfMs, animals: page.pets.map(toAnimal), counts, newer: page.newer, older: page.older }
    },
  )

  server.get<{ Querystring: { readonly name: string } }>(
    '/api/animals/namesakes',
    { ...FOR_STAFF, schema: { querystring: NAMESAKES_QUERY } },
    async ({ query }): Promise<Namesake[]> => {
      const text = nameOf(query.name, bodyLimit)
      if (text === '') return []
      const found = { text, isWhole: true, status: undefined, limit: NAMESAKES, withinMs: NAMESAKES_MS }
      const { pets } = await records.find(found)
      const added = await records.addedBy(pets.map(({ id }) => BigInt(id)))
      return pets.map((pet) => {
        const by = added.get(BigInt(pet.id))
        return { animal: toAnimal(pet), addedAtMs: by?.atMs ?? null, addedBy: by?.who ?? null }
      })
    },
  )

  server.get<ById>('/api/animals/:id', FOR_STAFF, async ({ params }): Promise<AnimalView> => {
    const id = petId(params)
    const pet = await records.get(id)
    if (pet === undefined) throw noAnimal(params.id)
    const query = { petId: id, keyId: undefined, sinceMs: undefined, before: undefined, limit: HISTORY_SHOWN }
    const history = await records.journal(query)
    const purgedAtMs = pet.removedAtMs === undefined ? null : pet.removedAtMs + RESTORABLE_MS
    return { animal: toAnimal(pet), purgedAtMs, history: history.map(toJournalLine) }
  })
}

function addChanges(server: FastifyInstance, { store, clock, bodyLimit }: OfficeOptions): void {
  const { records } = store
  /** One animal after its change. Throws OfficeRefusal if it was not changed. */
  const one = async (id: string, { pets, conflicts }: Outcome): Promise<Animal> => {
    const [now] = pets
    if (now !== undefined) return toAnimal(now)
    const current = conflicts[0] ?? (await records.get(BigInt(id)))
    throw current === undefined ? noAnimal(id) : conflict(current)
  }
  const by = (request: FastifyRequest) => authorOf(request, clock)

  server.post<{ Body: NewAnimal }>(
    '/api/animals',
    { ...FOR_STAFF, schema: { body: NEW_ANIMAL }, bodyLimit: bodyFor(bodyLimit) },
    async (request, reply): Promise<Animal> => {
      const { body } = request
      const status = statusOf(body.status)
      const values = { name: nameOf(body.name, bodyLimit), categoryId: int64Of(body.categoryId, 'The category') }
      const { pet, isNew } = await records.add({ ...values, ...(status && { status }) }, by(request), body.once)
      if (pet === undefined) throw notFound('The animal that this form has added was removed for good.')
      reply.code(isNew ? 201 : 200)
      return toAnimal(pet)
    },
  )

  server.post<{ Body: StatusChange }>(
    '/api/animals/status',
    { ...FOR_STAFF, schema: { body: STATUS_CHANGE } },
    async (request): Promise<StatusChanged> => {
      const { animals, status } = request.body
      const targets = animals.map(({ id, version }) => toTarget(id, version))
      const { pets, conflicts, missing } = await records.change(targets, { status }, by(request), 'all that can be')
      return { changed: pets.map(toAnimal), conflicts: conflicts.map(toAnimal), missing: missing.map(String) }
    },
  )

  server.patch<ById & { Body: AnimalChange }>(
    '/api/animals/:id',
    { ...FOR_STAFF, schema: { body: ANIMAL_CHANGE }, bodyLimit: bodyFor(bodyLimit) },
    async (request): Promise<Animal> => {
      const { body, params } = request
      const target = toTarget(String(petId(params)), body.version)
      const { name, categoryId, status } = body
      const changes: PetChanges = {
        ...(name !== undefined && { name: nameOf(name, bodyLimit) }),
        ...(categoryId !== undefined && { categoryId: int64Of(categoryId, 'The category') }),
        ...(status !== undefined && { status }),
      }
      return one(params.id, await records.change([target], changes, by(request)))
    },
  )

  server.post<ById & { Body: { readonly version: string } }>(
    '/api/animals/:id/remove',
    { ...FOR_MANAGERS, schema: { body: VERSION } },
    async (request): Promise<Animal> => {
      const { body, params } = request
      const target = toTarget(String(petId(params)), body.version)
      return one(params.id, await records.remove([target], by(request)))
    },
  )

  server.post<ById>('/api/animals/:id/restore', FOR_MANAGERS, async (request): Promise<Animal> => {
    const { pets } = await records.restore([petId(request.params)], by(request))
    const [pet] = pets
    if (pet === undefined) throw notFound(`There is no removed animal ${request.params.id}.`)
    return toAnimal(pet)
  })
}

/** An id that is no int64 is the id of no animal. Throws OfficeRefusal. */
function petId({ id }: { readonly id: string }): bigint {
  const value = parseInt64(id)
  if (value === undefined) throw noAnimal(id)
  return value
}

function toTarget(id: string, version: string) {
  return { id: int64Of(id, 'The number of an animal'), version: int64Of(version, 'The version') }
}

function toPageQuery({ text = '', status = '', before, after, limit = String(PER_PAGE) }: PageText) {
  if (before !== undefined && after !== undefined) throw invalid('Give before or after, not both.')
  if (Number(limit) > Limit.maximum) throw invalid(`A page holds ${Limit.maximum} animals at most.`)
  if (!isStorableText(text)) throw invalid('The text holds a character that no name can hold.')
  return {
    text: text.trim(),
    status: status === '' ? undefined : status,
    before: before === undefined ? undefined : int64Of(before, 'before'),
    after: after === undefined ? undefined : int64Of(after, 'after'),
    limit: Number(limit),
  }
}
