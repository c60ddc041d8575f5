/** Scalar's API reference at `/docs` and the OpenAPI document. Links are relative, for a proxy with another path. */
import { Assets, contentSecurityPolicy, SCALAR, STRICT_TRANSPORT_SECURITY } from '../assets/assets.ts'
import type { Clock } from '../common/clock.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { GET_PET_REMOVAL_MS } from '../contract/operations.ts'
import type { Pages } from '../http/request-handler.ts'

/** Scalar's own page, configured to call no other host. */
const REFERENCE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Pet Adoption Service: API reference</title>
    <link rel="icon" href="icon.svg" />
  </head>
  <body>
    <noscript>This page needs JavaScript. The document behind it is at <a href="openapi.json">openapi.json</a>.</noscript>
    <script id="api-reference" data-configuration='${JSON.stringify({
      url: 'openapi.json',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    })}'></script>
    <script src="reference/scalar.js"></script>
  </body>
</html>
`

const TO_REFERENCE = {
  status: 302,
  body: Buffer.alloc(0),
  contentType: 'text/plain',
  headers: ['Location', 'docs', 'Cache-Control', 'no-cache'],
}

/** Without `publicUrl`, the document contains a relative server address. */
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
      { '/docs': { text: REFERENCE }, '/reference/scalar.js': { file: SCALAR } },
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
