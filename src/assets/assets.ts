/** Static files of a page, which are read, built and compressed on the first request. */
import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import { messageOf, startThread } from '../common/program.ts'

/** A file of the program; a text; or a page, by its folder, whose scripts and styles are built and served below `at`. */
export type AssetSource =
  | { readonly file: string }
  | { readonly text: string }
  | { readonly page: string; readonly at: string }

/** Scalar's script, which comes from its package. */
export const SCALAR = 'src/assets/scalar.js'

export interface CompressedFile {
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly br: Uint8Array
  /** A hash of the uncompressed content. */
  readonly hash: string
}

type ConditionalHeaders = Pick<IncomingHttpHeaders, 'accept-encoding' | 'if-none-match'>

/** Best compression first. */
const CODINGS = ['br', 'gzip'] as const
/** The name of a built file, such as `office-K3AW2QZP.js`. */
const BUILT_NAME = /^[\w.-]+-[0-9A-Z]{8}\.(?:css|js|png|woff2)$/

/** After an update, a browser might show the previous page for this long. */
const CACHE_10_MINUTES = 'public, max-age=600'
const CACHE_IMMUTABLE = 'public, max-age=31536000, immutable'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** A built file that is binary is in base64. */
export function isBinary(path: string): boolean {
  return /\.(?:woff2|png)$/.test(path)
}

export class Assets {
  readonly #sources: ReadonlyMap<string, AssetSource>
  readonly #headers: readonly string[]
  #prepared: Promise<ReadonlyMap<string, CompressedFile>> | undefined

  /** `sources` by path. */
  constructor(sources: Readonly<Record<string, AssetSource>>, policy: string) {
    this.#sources = new Map(Object.entries(sources))
    this.#headers = [
      ...['Content-Security-Policy', policy, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
      ...['Vary', 'Accept-Encoding'],
    ]
  }

  /** Whether the path is a file's, or could be a built file's. */
  has(path: string): boolean {
    return this.#sources.has(path) || [...this.#sources.values()].some((source) => isBuilt(source, path))
  }

  /** The response to GET and HEAD, or 304. Undefined if the path has no file. Throws if the files cannot be read. */
  async get(path: string, conditions: ConditionalHeaders) {
    this.#prepared ??= this.#prepare()
    const file = (await this.#prepared).get(path)
    if (file === undefined) return undefined
    const coding = CODINGS.find((each) => acceptsCoding(each, conditions['accept-encoding']))
    // A strong tag identifies exact bytes, so each coding has its own.
    const tag = coding === undefined ? file.hash : `${file.hash}-${coding}`
    const contentType = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
    const headers = [...this.#headers, 'Cache-Control', this.#cacheControlOf(path), 'ETag', `"${tag}"`]
    if (matchesETag(conditions['if-none-match'], tag))
      return { status: 304, body: Buffer.alloc(0), contentType, headers }
    if (coding !== undefined) headers.push('Content-Encoding', coding)
    const body = file[coding ?? 'plain']
    return { status: 200, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType, headers }
  }

  /** Built files are immutable. A text, such as the OpenAPI document, is revalidated each time. */
  #cacheControlOf(path: string): string {
    const source = this.#sources.get(path)
    if (source === undefined) return CACHE_IMMUTABLE
    return 'text' in source ? 'no-cache' : CACHE_10_MINUTES
  }

  async #prepare(): Promise<ReadonlyMap<string, CompressedFile>> {
    try {
      const files = await messageOf(startThread('src/assets/prepare.ts', { workerData: this.#sources }))
      if (files === undefined) throw new Error('the pages could not be read')
      return files as ReadonlyMap<string, CompressedFile>
    } catch (cause) {
      this.#prepared = undefined
      throw cause
    }
  }
}

function isBuilt(source: AssetSource, path: string): boolean {
  return 'page' in source && path.startsWith(`/${source.at}`) && BUILT_NAME.test(path.slice(source.at.length + 1))
}

/** For pages served over HTTPS: for a year, the browser uses only HTTPS for this host (RFC 6797). */
export const STRICT_TRANSPORT_SECURITY = ['Strict-Transport-Security', 'max-age=31536000'] as const

/** A page loads only what its own origin serves, and no other page can frame it. */
export function contentSecurityPolicy(styles = "'self'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** `header` is `Accept-Encoding`. */
export function acceptsCoding(coding: (typeof CODINGS)[number], header = ''): boolean {
  return header.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** `header` is `If-None-Match`. A proxy that compresses weakens the tag (RFC 9110 13.1.2). */
function matchesETag(header = '', tag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(/"([^"]*)"/g)].some(([, opaqueTag]) => opaqueTag === tag)
}
