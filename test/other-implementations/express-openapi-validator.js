/**
 * Express with express-openapi-validator over openapi.json, and handlers with a store in memory: what its users write.
 */
import express from 'express'
import * as validator from 'express-openapi-validator'
import { createPet, error, getPet, isKey, limitHeaders, listPets } from './handlers.js'

const [port, document] = process.argv.slice(2)
const app = express()

app.use((_request, response, next) => {
  response.set(limitHeaders())
  next()
})
app.use(express.json({ strict: false }))
app.use(
  validator.middleware({
    apiSpec: document,
    validateRequests: true,
    validateSecurity: { handlers: { apiKey: (request) => isKey(request.headers.authorization) } },
  }),
)
const send = (response, { status, body }) => response.status(status).json(body)
app.get('/v1/pets', (request, response) => send(response, listPets(request.query)))
app.post('/v1/pets', (request, response) => send(response, createPet(request.body)))
app.get('/v1/pets/:petId', (request, response) => send(response, getPet(request.params.petId)))
app.use((_request, response) => send(response, error(404, 'There is nothing at this path.')))
app.use((thrown, _request, response, _next) => send(response, error(thrown.status ?? 500, thrown.message)))

app.listen(Number(port), '127.0.0.1')
