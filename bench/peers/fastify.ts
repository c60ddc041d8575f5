/**
 * The peer: the same interface as a good engineer writes it in an afternoon with common packages. Fastify with schemas
 * for requests and responses, @fastify/rate-limit keyed by API key, in memory or in Redis, keys stored as hashes, and
 * every create its own durable commit. Nothing in it is slowed down, and where a common choice is slow and a fast one
 * costs a line, it makes the fast one. It lacks what takes longer than an afternoon: two windows that survive a restart,
 * headers on every failure, exact int64, group commit, cached lists.
 *
 * `--fill COUNT --key KEY` fills an empty database and ends.
 */
import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import rateLimit from '@fastify/rate-limit'
import Fastify, { LogController } from 'fastify'
import { Redis } from 'ioredis'
import { animals, type NewAnimal } from '../animals.ts'
import type { Pets } from './pets.ts'
import { openPostgresPets } from './postgres-pets.ts'
import { openSqlitePets } from './sqlite-pets.ts'

const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string' }, categoryId: { type: 'integer' }, status },
}
const pet = {
  type: 'object',
  required: ['id', ...newPet.required],
  properties: { id: { type: 'integer' }, ...newPet.properties },
}
const listQuery = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
}
const petParams = { type: 'object', properties: { petId: { type: 'integer' } } }

const LIST = { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } }
const CREATE = { schema: { body: newPet, response: { 201: pet } } }
const GET = { schema: { params: petParams, response: { 200: pet } } }
const NOT_FOUND = { code: 'not_found', message: 'There is no such animal.', status: 404 }

const keyHash = (key: string) => hash('sha256', key, 'hex')

const text = { type: 'string', default: '' } as const
const { values } = parseArgs({ options: { port: text, database: text, counters: text, fill: text, key: text } })
const pets: Pets = values.database.startsWith('sqlite:')
  ? openSqlitePets(values.database.slice('sqlite:'.length))
  : await openPostgresPets(values.database)
if (values.fill === '') await serve()
else {
  await pets.fill(animals(Number(values.fill)), keyHash(values.key))
  await pets.close()
}

async function serve(): Promise<void> {
  const redis = values.counters === '' ? undefined : new Redis(values.counters)
  const hashes = new Set(await pets.keyHashes())
  const app = Fastify({
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    // Requests are not logged, so a child logger per request would be wasted work.
    childLoggerFactory: (logger) => logger,
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { authorization } = request.headers
    if (authorization?.startsWith('Bearer ') && hashes.has(keyHash(authorization.slice(7)))) done()
    else reply.code(401).send({ code: 'unauthorized', message: 'A valid API key is needed.', status: 401 })
  })
  await app.register(rateLimit, {
    max: 1_000_000_000,
    timeWindow: '1 minute',
    keyGenerator: ({ headers }) => headers.authorization ?? '',
    ...(redis && { redis }),
  })
  app.get<{ Querystring: { limit: number; status?: string } }>('/v1/pets', LIST, ({ query }) =>
    pets.list(query.limit, query.status),
  )
  app.post<{ Body: NewAnimal }>('/v1/pets', CREATE, ({ body }, reply) => {
    reply.code(201)
    return pets.add(body)
  })
  app.get<{ Params: { petId: number } }>('/v1/pets/:petId', GET, ({ params }, reply) => {
    const found = pets.get(params.petId)
    if (found instanceof Promise) return found.then((row) => row ?? reply.code(404).send(NOT_FOUND))
    return found ?? reply.code(404).send(NOT_FOUND)
  })
  await app.listen({ host: '127.0.0.1', port: Number(values.port) })
  process.once('SIGTERM', async () => {
    await app.close()
    await pets.close()
    redis?.disconnect()
  })
}
