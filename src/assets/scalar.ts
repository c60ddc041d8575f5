/** The script of the reference page. Scalar's package exposes it only as a route of a Fastify plugin. */
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

export async function scalarScript(): Promise<string> {
  const server = fastify()
  await server.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { body, statusCode } = await server.inject('/reference/js/scalar.js')
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`)
  return body
}
