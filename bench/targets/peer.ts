/**
 * What the two peers share: the schemas of the interface, keys kept as hashes and read at the start, and
 * @fastify/rate-limit by API key. How each speaks to its database stays with it.
 */
import { hash } from 'node:crypto'
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import Fastify, { type FastifyInstance, LogController } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    apiKeyId: string
  }
}

const REQUESTS_PER_MINUTE = 1_000_000_000

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

/** The options of each route. */
export const LIST = { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } }
export const CREATE = { schema: { body: newPet, response: { 201: pet } } }
export const GET = { schema: { params: petParams, response: { 200: pet } } }

export const NOT_FOUND = { code: 'not_found', message: 'There is no such animal.', status: 404 }

export function keyHash(key: string): string {
  return hash('sha256', key, 'hex')
}

/** A server that admits these keys, counted where `store` says. */
export async function openPeer(
  keyIdByHash: ReadonlyMap<string, string>,
  store: Pick<RateLimitPluginOptions, 'redis'> = {},
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    // Without a log line per request, Fastify's default logger per request would be wasted.
    childLoggerFactory: (logger) => logger,
  })
  app.decorateRequest('apiKeyId', '')
  app.addHook('onRequest', (request, reply, done) => {
    const { authorization } = request.headers
    const keyId = authorization?.startsWith('Bearer ') && keyIdByHash.get(keyHash(authorization.slice(7)))
    if (!keyId) {
      reply.code(401).send({ code: 'unauthorized', message: 'A valid API key is needed.', status: 401 })
      return
    }
    request.apiKeyId = keyId
    done()
  })
  await app.register(rateLimit, {
    max: REQUESTS_PER_MINUTE,
    timeWindow: '1 minute',
    keyGenerator: (request) => request.apiKeyId,
    ...store,
  })
  return app
}
