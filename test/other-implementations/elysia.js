/**
 * The peer of the bench on Bun: the interface as a good engineer writes it in an afternoon. Elysia with schemas, a
 * window of requests in memory by key, keys kept as hashes, bun:sqlite in WAL mode with each create its own durable
 * commit. `bun elysia.js --database FILE --port PORT`, with a file that bench/peers/fastify.ts has made.
 */

import { Database } from 'bun:sqlite'
import { parseArgs } from 'node:util'
import { Elysia, t } from 'elysia'

const MINUTE_MS = 60_000
const PER_MINUTE = 1_000_000_000

const { values } = parseArgs({ options: { port: { type: 'string' }, database: { type: 'string' } } })
const database = new Database(values.database)
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = FULL')
const insert = database.query('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')

const hashOf = (key) => new Bun.CryptoHasher('sha256').update(key).digest('hex')

const keyIds = new Map(database.query('SELECT hash, id FROM api_keys').values())
const columns = 'id, name, category_id, status'
const listAll = database.query(`SELECT ${columns} FROM pets ORDER BY id DESC LIMIT ?`)
const listByStatus = database.query(`SELECT ${columns} FROM pets WHERE status = ? ORDER BY id DESC LIMIT ?`)
const getOne = database.query(`SELECT ${columns} FROM pets WHERE id = ?`)

/** A pet without a status has none in its response either. */
const toPet = ([id, name, categoryId, status]) => ({ id, name, categoryId, status: status ?? undefined })

const status = t.Optional(t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]))
const newPet = { name: t.String(), categoryId: t.Integer(), status }
const pet = t.Object({ id: t.Integer(), ...newPet })
const problem = t.Object({ code: t.String(), message: t.String(), status: t.Integer() })
const fail = (code, message, status) => ({ code, message, status })

const windows = new Map()
function take(keyId) {
  const nowMs = Date.now()
  let window = windows.get(keyId)
  if (window === undefined || window.endMs <= nowMs) {
    window = { used: 0, endMs: (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS }
    windows.set(keyId, window)
  }
  window.used += 1
  return window
}

const app = new Elysia()
  .onBeforeHandle(({ headers, set, status }) => {
    const { authorization } = headers
    const keyId = authorization?.startsWith('Bearer ') && keyIds.get(hashOf(authorization.slice(7)))
    if (!keyId) return status(401, fail('unauthorized', 'A valid API key is needed.', 401))
    const { used, endMs } = take(keyId)
    set.headers['x-ratelimit-limit'] = PER_MINUTE
    set.headers['x-ratelimit-remaining'] = Math.max(0, PER_MINUTE - used)
    set.headers['x-ratelimit-reset'] = endMs / 1_000
    if (used > PER_MINUTE) return status(429, fail('rate_limited', 'Too many requests.', 429))
  })
  .get(
    '/v1/pets',
    ({ query: { limit, status } }) =>
      (status === undefined ? listAll.values(limit) : listByStatus.values(status, limit)).map(toPet),
    {
      query: t.Object({ limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }), status }),
      response: { 200: t.Array(pet), 401: problem, 429: problem },
    },
  )
  .post(
    '/v1/pets',
    ({ body: { name, categoryId, status }, set }) => {
      set.status = 201
      const { lastInsertRowid } = insert.run(name, categoryId, status ?? null)
      return { id: Number(lastInsertRowid), name, categoryId, status }
    },
    { body: t.Object(newPet), response: { 201: pet, 401: problem, 429: problem } },
  )
  .get(
    '/v1/pets/:petId',
    ({ params: { petId }, status }) => {
      const [row] = getOne.values(petId)
      return row === undefined ? status(404, fail('not_found', 'There is no such animal.', 404)) : toPet(row)
    },
    { params: t.Object({ petId: t.Integer() }), response: { 200: pet, 401: problem, 404: problem, 429: problem } },
  )
  .listen({ port: Number(values.port), hostname: '127.0.0.1' })

process.once('SIGTERM', async () => {
  await app.stop()
  database.close()
  process.exit(0)
})
