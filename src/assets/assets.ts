/**
 * The files of a page. They are read and compressed on the first request, so a service whose pages nobody opens pays
 * nothing. There is no build: the browser gets the files as they are in the folder, without types; where a page has many
 * modules or style sheets, they are joined, since a browser on a slow connection waits for each file that it asks for.
 * Every file has an entity tag, so a browser that has it already is answered 304 without it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import { programFilesIn, startThread } from '../common/program.ts'

/**
 * Where a file's text comes from: a file of the program, by its path in the clone (types are stripped from `.ts`); several
 * files one after the other; a module joined with all that it imports; the program itself; or a package.
 */
export type Source =
  | { readonly file: string }
  | { readonly files: readonly string[] }
  | { readonly modulesOf: string }
  | { readonly text: string }
  | { readonly packaged: string }
  | { readonly bundleOf: '@scalar/fastify-api-reference' }

export interface Prepared {
  readonly plain: Uint8Array
  readonly gzipped: Uint8Array
  /** A hash of the plain text. */
  readonly hash: string
}

/** What a file's answer depends on. */
export type AskedWith = Pick<IncomingHttpHeaders, 'accept-encoding' | 'if-none-match'>

/** A file as it is sent. */
export interface Sent {
  /** 304 if the client has the file already. */
  readonly status: 200 | 304
  /** Empty with 304. */
  readonly body: Buffer
  readonly contentType: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
}

export class Assets {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #headers: readonly string[]
  #prepared: Promise<ReadonlyMap<string, Prepared>> | undefined

  /** `sources` by the path of each; `policy` is the page's Content-Security-Policy. */
  constructor(sources: Readonly<Record<string, Source>>, policy: string) {
    this.#sources = new Map(Object.entries(sources))
    this.#headers = [
      ...['Content-Security-Policy', policy, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
      ...['Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding'],
    ]
  }

  get paths(): Iterable<string> {
    return this.#sources.keys()
  }

  /** The answer to GET and HEAD. Throws when no file is at this path, or the files cannot be read. */
  async get(path: string, asked: AskedWith): Promise<Sent> {
    this.#prepared ??= this.#prepare()
    const file = (await this.#prepared).get(path)
    if (file === undefined) throw new Error(`there is no file at ${path}`)
    const gzip = acceptsGzip(asked['accept-encoding'])
    // A strong tag stands for the very bytes: each coding has its own.
    const tag = gzip ? `${file.hash}-gzip` : file.hash
    const contentType = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
    const headers = [...this.#headers, 'ETag', `"${tag}"`]
    if (names(asked['if-none-match'], tag)) return { status: 304, body: Buffer.alloc(0), contentType, headers }
    if (gzip) headers.push('Content-Encoding', 'gzip')
    const body = gzip ? file.gzipped : file.plain
    return { status: 200, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType, headers }
  }

  async #prepare(): Promise<ReadonlyMap<string, Prepared>> {
    const worker = startThread('src/assets/prepare', {
      workerData: [...this.#sources.values()],
      // Node still marks its function for stripping types as experimental; running .ts files is not experimental.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    try {
      const prepared = await new Promise<readonly Prepared[]>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.once('exit', () => reject(new Error('the pages could not be read')))
      })
      return new Map(prepared.map((file, index) => [[...this.#sources.keys()][index] ?? '', file]))
    } catch (cause) {
      this.#prepared = undefined
      throw cause
    }
  }
}

/**
 * A Content-Security-Policy under which a page loads only what its own origin serves, and no other page can frame it.
 */
export function contentPolicy(styles = "'self'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The files of a folder whose names fit, each as a source below `path`. */
export function folder(folder: string, path: string, names: RegExp): Record<string, Source> {
  const files = programFilesIn(folder).filter((name) => names.test(name))
  return Object.fromEntries(files.map((name) => [`${path}/${name}`, { file: `${folder}/${name}` }]))
}

/** Whether `Accept-Encoding` names gzip without refusing it by `q=0`. */
export function acceptsGzip(header = ''): boolean {
  return header.split(',').some((coding) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9])\S*\s*)?$/i.test(coding))
}

/** Whether `If-None-Match` names the tag, strong or weak (RFC 9110 13.1.2): a proxy that compresses weakens it. */
function names(header = '', tag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(/"([^"]*)"/g)].some(([, named]) => named === tag)
}
