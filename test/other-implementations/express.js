/** Express, by hand and without a validator: how most people would begin. */
import express from 'express'

const STATUSES = ['available', 'pending', 'sold']
/** Requests, and in how many seconds. */
const KEYS = { 'other-key': [5000, 60], 'limited-key': [10, 20] }

const app = express()
const pets = []
const counts = {}

app.use((req, res, next) => {
  const key = req.get('Authorization')?.replace('Bearer ', '')
  if (!KEYS[key]) return fail(res, 401, 'A valid key is needed.')
  const [limit, seconds] = KEYS[key]
  const now = Date.now() / 1000
  if (!counts[key] || counts[key].reset <= now) counts[key] = { used: 0, reset: Math.ceil(now) + seconds }
  const count = counts[key]
  count.used++
  res.set('X-RateLimit-Limit', limit)
  res.set('X-RateLimit-Remaining', Math.max(0, limit - count.used))
  res.set('X-RateLimit-Reset', count.reset)
  if (count.used > limit) {
    res.set('Retry-After', Math.ceil(count.reset - now))
    return fail(res, 429, 'Too many requests.')
  }
  next()
})
app.use(express.json())

app.get('/v1/pets', (req, res) => {
  const limit = Math.min(Number(req.query.limit ?? 20), 100)
  const found = req.query.status ? pets.filter((pet) => pet.status === req.query.status) : pets
  res.json(found.slice(0, limit))
})

app.post('/v1/pets', (req, res) => {
  const { name, categoryId, status } = req.body ?? {}
  if (typeof name !== 'string' || !Number.isInteger(categoryId))
    return fail(res, 400, 'name and categoryId are needed.')
  if (status && !STATUSES.includes(status)) return fail(res, 400, 'status is none of the three.')
  const pet = { id: pets.length + 1, name, categoryId, status }
  pets.push(pet)
  res.status(201).json(pet)
})

app.get('/v1/pets/:id', (req, res) => {
  const pet = pets.find(({ id }) => id === Number(req.params.id))
  if (!pet) return fail(res, 404, 'There is no such animal.')
  res.json(pet)
})

function fail(res, status, message) {
  res.status(status).json({ code: `E${status}`, message, status })
}

app.listen(Number(process.argv[2]), '127.0.0.1')
