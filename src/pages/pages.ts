/**
 * The pages of the public port: the reference at `/docs`, to which `/` redirects, and the OpenAPI document. Links are
 * relative, so that a proxy can serve the pages below another path.
 */
import { Assets, contentSecurityPolicy, SCALAR, STRICT_TRANSPORT_SECURITY } from '../assets/assets.ts'
import type { Clock } from '../common/clock.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { GET_PET_REMOVAL_MS } from '../contract/operations.ts'
import type { Pages } from '../http/public-port.ts'

const TO_REFERENCE = {
  status: 302,
  body: Buffer.alloc(0),
  contentType: 'text/plain',
  headers: ['Location', 'docs', 'Cache-Control', 'no-cache'],
}

/**
 * `publicUrl` is the base address for clients; without it the server in the document is a relative path. `tls` is set
 * if the port itself serves TLS.
 */
export function loadPages(
  { publicUrl, tls }: { readonly publicUrl: string | undefined; readonly tls?: object | undefined },
  clock: Pick<Clock, 'now'>,
): Pages {
  const more = tls !== undefined || publicUrl?.startsWith('https:') ? STRICT_TRANSPORT_SECURITY : []
  const documentAt = (atMs: number) =>
    new Assets(
      { '/openapi.json': { text: JSON.stringify(openApiDocument({ publicUrl, atMs })) } },
      contentSecurityPolicy(),
    )
  const document = documentAt(0)
  const laterDocument = documentAt(GET_PET_REMOVAL_MS)
  const groups = [
    new Assets(
      { '/docs': { page: 'src/pages/reference', at: 'reference/' }, '/reference/scalar.js': { file: SCALAR } },
      // Scalar adds style elements and attributes to the page.
      contentSecurityPolicy("'self' 'unsafe-inline'"),
    ),
    new Assets({ '/icon.svg': { file: 'src/assets/icon.svg' } }, contentSecurityPolicy()),
  ]
  const groupOf = (path: string) => {
    if (document.has(path)) return clock.now() < GET_PET_REMOVAL_MS ? document : laterDocument
    return groups.find((group) => group.has(path))
  }
  return {
    has: (path) => path === '/' || groupOf(path) !== undefined,
    async get(path, conditions) {
      const page = path === '/' ? TO_REFERENCE : await groupOf(path)?.get(path, conditions)
      return page && { ...page, headers: [...page.headers, ...more] }
    },
  }
}
