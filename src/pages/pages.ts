/**
 * The pages of the public port: the front desk at `/`, the reference at `/docs`, and the OpenAPI document. Their links
 * are relative, so they also work where a proxy serves them below another path. The front desk imports the typed client by
 * its path in the project: where `src` is shipped with pages, `client/src` must be shipped next to it.
 */
import { Assets, contentPolicy, folder } from '../assets/assets.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { BASE_PATH } from '../contract/operations.ts'
import type { Pages } from '../http/public-port.ts'

const FRONT_DESK = 'src/pages/front-desk'
const REFERENCE = 'src/pages/reference'
/** The later ones override the earlier. */
const STYLES = ['desk', 'list', 'outbox', 'narrow']
const ICON = 'src/assets/icon.svg'

/**
 * `publicUrl` is the base address as clients see it; without it the server in the document is relative to this port.
 */
export function loadPages({ publicUrl }: { readonly publicUrl: string | undefined }): Pages {
  const document = openApiDocument({ servers: { base_url: publicUrl ?? BASE_PATH } })
  const groups = [
    new Assets(
      {
        '/': { file: `${FRONT_DESK}/index.html` },
        '/icon.svg': { file: ICON },
        '/front-desk.css': { files: STYLES.map((name) => `${FRONT_DESK}/${name}.css`) },
        '/front-desk.js': { modulesOf: `${FRONT_DESK}/desk.js` },
      },
      contentPolicy(),
    ),
    new Assets(
      {
        '/docs': { file: `${REFERENCE}/index.html` },
        '/reference/scalar.js': { bundleOf: '@scalar/fastify-api-reference' },
        // In a release the script is a file here instead of in the package.
        ...folder(REFERENCE, '/reference', /\.(css|js)$/),
      },
      // Scalar adds style elements and attributes to the page.
      contentPolicy("'self' 'unsafe-inline'"),
    ),
    new Assets({ '/openapi.json': { text: JSON.stringify(document) } }, contentPolicy()),
  ]
  const groupOf = new Map(groups.flatMap((group) => [...group.paths].map((path) => [path, group])))
  return {
    has: (path) => groupOf.has(path),
    async get(path, asked) {
      const group = groupOf.get(path)
      if (group === undefined) throw new Error(`there is no page at ${path}`)
      return group.get(path, asked)
    },
  }
}
