/** Bun.serve with its routes, over the SQLite that Bun brings. */
import { Database } from 'bun:sqlite'

/** Requests, and in how many seconds. */
const KEYS = { 'other-key': [5000, 60], 'limited-key': [10, 20] }
const db = new Database(':memory:')
db.run('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT)')
const counts = new Map()

const fail = (status, message, headers) => Response.json({ code: `E${status}`, message, status }, { status, headers })

const guarded = (handler) => (request) => {
  const key = request.headers.get('Authorization')?.slice('Bearer '.length)
  if (!(key in KEYS)) return fail(401, 'A valid key is needed.')
  const [limit, seconds] = KEYS[key]
  const now = Date.now() / 1000
  let count = counts.get(key)
  if (!count || count.reset <= now) count = { used: 0, reset: Math.ceil(now) + seconds }
  counts.set(key, count)
  count.used++
  const headers = {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': Math.max(0, limit - count.used),
    'X-RateLimit-Reset': count.reset,
  }
  if (count.used > limit)
    return fail(429, 'Too many requests.', { ...headers, 'Retry-After': Math.ceil(count.reset - now) })
  return handler(request, headers)
}

const list = guarded((request, headers) => {
  const query = new URL(request.url).searchParams
  const limit = Number(query.get('limit') ?? 20)
  const status = query.get('status')
  const pets = status
    ? db.query('SELECT * FROM pets WHERE status = ? LIMIT ?').all(status, limit)
    : db.query('SELECT * FROM pets LIMIT ?').all(limit)
  return Response.json(pets, { headers })
})

const create = guarded(async (request, headers) => {
  const { name, categoryId, status = 'available' } = await request.json().catch(() => ({}))
  if (typeof name !== 'string' || !Number.isInteger(categoryId)) return fail(400, 'name or categoryId', headers)
  if (!['available', 'pending', 'sold'].includes(status)) return fail(400, 'status', headers)
  const insert = db.query('INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?) RETURNING *')
  return Response.json(insert.get(name, categoryId, status), { status: 201, headers })
})

const get = guarded((request, headers) => {
  const pet = db.query('SELECT * FROM pets WHERE id = ?').get(request.params.id)
  return pet ? Response.json(pet, { headers }) : fail(404, 'There is no such animal.', headers)
})

Bun.serve({
  port: Number(process.argv[2]),
  hostname: '127.0.0.1',
  routes: { '/v1/pets': { GET: list, POST: create }, '/v1/pets/:id': { GET: get } },
  fetch: () => fail(404, 'There is nothing at this path.'),
})
