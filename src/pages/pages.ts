/**
 * The pages of the public port: the front desk at `/`, the reference at `/docs`, the OpenAPI document. Their links are
 * relative, so they also work where a proxy serves them below a path of its own. The front desk's files and those of the
 * typed client are served at the paths at which they lie in the project, so that an import means the same file to the
 * browser as to the type checker; whoever ships `src` with pages ships `client/src` beside it.
 */
import { Assets, contentPolicy, folder } from '../assets/assets.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { BASE_PATH } from '../contract/operations.ts'
import type { Pages } from '../http/public-port.ts'

const FRONT_DESK = 'src/pages/front-desk'
const REFERENCE = 'src/pages/reference'
const CLIENT = 'client/src'
const ICON = 'src/assets/icon.svg'

/** `publicUrl` is the base address as clients see it; without it the document's server is relative to this port. */
export function loadPages({ publicUrl }: { readonly publicUrl: string | undefined }): Pages {
  const document = openApiDocument({ servers: { base_url: publicUrl ?? BASE_PATH } })
  const groups = [
    new Assets(
      {
        '/': { file: `${FRONT_DESK}/index.html` },
        '/icon.svg': { file: ICON },
        ...folder(FRONT_DESK, '/src/pages/front-desk', /\.(css|js)$/),
        ...folder(CLIENT, '/client/src', /\.ts$/),
      },
      contentPolicy(),
    ),
    new Assets(
      {
        '/docs': { file: `${REFERENCE}/index.html` },
        '/reference/scalar.js': { bundleOf: '@scalar/fastify-api-reference' },
        // A release has the script as a file here, in place of the package.
        ...folder(REFERENCE, '/reference', /\.(css|js)$/),
      },
      // Scalar writes style elements and attributes of its own into the page.
      contentPolicy("'self' 'unsafe-inline'"),
    ),
    new Assets({ '/openapi.json': { text: JSON.stringify(document) } }, contentPolicy()),
  ]
  const groupOf = new Map(groups.flatMap((group) => [...group.paths].map((path) => [path, group])))
  return {
    has: (path) => groupOf.has(path),
    async get(path, acceptEncoding) {
      const group = groupOf.get(path)
      if (group === undefined) throw new Error(`there is no page at ${path}`)
      return { status: 200, ...(await group.get(path, acceptEncoding)) }
    },
  }
}
