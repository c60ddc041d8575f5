/**
 * The peer: the same interface as a good engineer writes it in an afternoon with common packages. Fastify with schemas
 * for requests and responses, @fastify/rate-limit in memory and keyed by API key, keys stored as hashes, SQLite in WAL
 * mode with every create its own durable commit. Nothing in it is slowed down, and where a common choice is slow and a
 * fast one costs a line, it makes the fast one. It lacks what takes longer than an afternoon: two windows that survive
 * a restart, headers on every failure, exact int64, group commit, cached lists.
 */
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Redis } from 'ioredis'

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

export const LIST = { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } }
export const CREATE = { schema: { body: newPet, response: { 201: pet } } }
export const GET = { schema: { params: petParams, response: { 200: pet } } }

export const NOT_FOUND = { code: 'not_found', message: 'There is no such animal.', status: 404 }

export function keyHash(key: string): string {
  return hash('sha256', key, 'hex')
}

export function openPeerDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT
    );
    CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
    CREATE TABLE IF NOT EXISTS api_keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
  `)
  return database
}

/**
 * Rows come as arrays: objects of node:sqlite are slow to read. A pet without a status has none in its response either.
 */
type PetRow = [id: number, name: string, categoryId: number, status: string | null]

function toPet([id, name, categoryId, status]: PetRow) {
  return { id, name, categoryId, status: status ?? undefined }
}

/** Without routes. Requests are counted in Redis, or else in this process. */
export async function createApp(hashes: ReadonlySet<unknown>, redis?: Redis): Promise<FastifyInstance> {
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
  return app
}

async function createSqliteApp(database: DatabaseSync): Promise<FastifyInstance> {
  const keys = database.prepare('SELECT hash FROM api_keys').all()
  const app = await createApp(new Set(keys.map((row) => row.hash)))
  const columns = 'id, name, category_id, status'
  const listAll = database.prepare(`SELECT ${columns} FROM pets ORDER BY id DESC LIMIT ?`)
  const listByStatus = database.prepare(`SELECT ${columns} FROM pets WHERE status = ? ORDER BY id DESC LIMIT ?`)
  const getOne = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  for (const statement of [listAll, listByStatus, getOne]) statement.setReturnArrays(true)
  const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')

  app.get<{ Querystring: { limit: number; status?: string } }>('/v1/pets', LIST, (request, reply) => {
    const { limit, status } = request.query
    const rows = status === undefined ? listAll.all(limit) : listByStatus.all(status, limit)
    reply.send((rows as unknown as PetRow[]).map(toPet))
  })

  app.post<{ Body: { name: string; categoryId: number; status?: string } }>('/v1/pets', CREATE, (request, reply) => {
    const { name, categoryId, status } = request.body
    const { lastInsertRowid } = insert.run(name, categoryId, status ?? null)
    reply.code(201).send({ id: lastInsertRowid, name, categoryId, status })
  })

  app.get<{ Params: { petId: number } }>('/v1/pets/:petId', GET, (request, reply) => {
    const row = getOne.get(request.params.petId) as unknown as PetRow | undefined
    if (row) reply.send(toPet(row))
    else reply.code(404).send(NOT_FOUND)
  })
  return app
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string' }, database: { type: 'string', default: '' } } })
  const database = openPeerDatabase(values.database)
  const app = await createSqliteApp(database)
  await app.listen({ host: '127.0.0.1', port: Number(values.port) })
  process.once('SIGTERM', async () => {
    await app.close()
    database.close()
  })
}
