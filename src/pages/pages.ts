/**
 * The pages of the public port: the front desk at `/`, the reference at `/docs`, and the OpenAPI document. Links are
 * relative, so that a proxy may serve them below another path. The front desk imports the typed client by its path in
 * the clone.
 */
import { Assets, contentPolicy, SCALAR, STRICT_TRANSPORT } from '../assets/assets.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { BASE_PATH } from '../contract/operations.ts'
import type { Pages } from '../http/public-port.ts'

/**
 * `publicUrl` is the base address as clients see it; without it the document names its server relative to this port.
 * `tls` is set if the port itself speaks TLS.
 */
export function loadPages({
  publicUrl,
  tls,
}: {
  readonly publicUrl: string | undefined
  readonly tls?: object | undefined
}): Pages {
  const more = tls !== undefined || publicUrl?.startsWith('https:') ? STRICT_TRANSPORT : []
  const document = openApiDocument({ servers: { base_url: publicUrl ?? BASE_PATH } })
  const groups = [
    new Assets(
      { '/': { page: 'src/pages/front-desk', at: 'front-desk/' }, '/icon.svg': { file: 'src/assets/icon.svg' } },
      contentPolicy(),
    ),
    new Assets(
      { '/docs': { page: 'src/pages/reference', at: 'reference/' }, '/reference/scalar.js': { file: SCALAR } },
      // Scalar adds style elements and attributes to the page.
      contentPolicy("'self' 'unsafe-inline'"),
    ),
    new Assets({ '/openapi.json': { text: JSON.stringify(document) } }, contentPolicy()),
  ]
  const groupOf = (path: string) => groups.find((group) => group.has(path))
  return {
    has: (path) => groupOf(path) !== undefined,
    async get(path, asked) {
      const file = await groupOf(path)?.get(path, asked)
      return file && { ...file, headers: [...file.headers, ...more] }
    },
  }
}
