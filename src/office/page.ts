/** The office's page. Its files are public; the data they show needs a session. */
import type { FastifyInstance } from 'fastify'
import { Assets, contentPolicy } from '../assets/assets.ts'

/** Serves the page at `/` and its files below `/office/`. */
export function addPageRoutes(server: FastifyInstance): void {
  const assets = new Assets(
    { '/': { page: 'src/office/page', at: 'office/' }, '/office/icon.svg': { file: 'src/assets/icon.svg' } },
    contentPolicy(),
  )
  for (const path of ['/', '/office/:name']) {
    server.get(path, { config: { role: 'anyone' } }, async (request, reply) => {
      const [path = ''] = request.url.split('?')
      const sent = assets.has(path) ? await assets.get(path, request.headers) : undefined
      if (sent === undefined) return reply.callNotFound()
      const { status, body, contentType, headers } = sent
      for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1])
      return status === 304 ? reply.code(304).send() : reply.type(contentType).send(body)
    })
  }
}
