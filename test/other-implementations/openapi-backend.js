/** openapi-backend over openapi.json, with the three handlers and a store in memory: what its users write. */
import http from 'node:http'
import { OpenAPIBackend } from 'openapi-backend'
import { createPet, error, getPet, isKey, limitHeaders, listPets } from './handlers.js'

const [port, document] = process.argv.slice(2)

const api = new OpenAPIBackend({
  definition: document,
  handlers: {
    listPets: ({ request }) => listPets(request.query),
    createPet: ({ request }) => createPet(request.requestBody),
    getPet: ({ request }) => getPet(request.params.petId),
    validationFail: () => error(400, 'The request is not valid.'),
    notFound: () => error(404, 'There is nothing at this path.'),
    methodNotAllowed: () => error(405, 'There is no such method here.'),
    unauthorizedHandler: () => error(401, 'Give a valid key.'),
  },
  securityHandlers: { apiKey: ({ request }) => isKey(request.headers.authorization) },
})
await api.init()

http
  .createServer(async (request, response) => {
    let body = ''
    try {
      for await (const chunk of request) body += chunk
    } catch {
      return // The request broke off.
    }
    const { method, url, headers } = request
    const [path, query] = url.split('?')
    const answer = await api
      .handleRequest({ method, path, query, headers, body })
      .catch(() => error(500, 'Something went wrong.'))
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...limitHeaders() })
    response.end(JSON.stringify(answer.body))
  })
  .listen(Number(port), '127.0.0.1')
