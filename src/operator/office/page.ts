/** The page of the office: plain files, which anybody may have; what they show needs a session. */
import type { FastifyInstance } from 'fastify'
import { Assets, contentPolicy, folder } from '../../assets/assets.ts'

const FOLDER = 'src/operator/office-page'

/** The page at `/`, its files below `/office/`. */
export function addPageRoutes(server: FastifyInstance): void {
  const assets = new Assets(
    {
      '/': { file: `${FOLDER}/index.html` },
      '/office/icon.svg': { file: 'src/assets/icon.svg' },
      '/office/uplot.js': { packaged: 'uplot/dist/uPlot.iife.min.js' },
      '/office/uplot.css': { packaged: 'uplot/dist/uPlot.min.css' },
      // In a release the files of the charts are here instead of in the package.
      ...folder(FOLDER, '/office', /\.(css|js)$/),
    },
    contentPolicy(),
  )
  for (const path of assets.paths) {
    server.get(path, { config: { role: 'anyone' } }, async (request, reply) => {
      const { status, body, contentType, headers } = await assets.get(path, request.headers)
      for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1])
      return status === 304 ? reply.code(304).send() : reply.type(contentType).send(body)
    })
  }
}
