/**
 * The files of a page. They are read and compressed on the first request, so a service whose pages nobody opens pays
 * nothing. There is no build: the browser gets the files as they are in the folder; only the types of the typed client
 * are stripped.
 */
import { extname } from 'node:path'
import { programFilesIn, startThread } from '../common/program.ts'

/**
 * Where a file's text comes from: a file of the program, by its path in the clone (types are stripped from `.ts`), the
 * program itself, or a package.
 */
export type Source =
  | { readonly file: string }
  | { readonly text: string }
  | { readonly packaged: string }
  | { readonly bundleOf: '@scalar/fastify-api-reference' }

export interface Prepared {
  readonly plain: Uint8Array
  readonly gzipped: Uint8Array
}

/** A file as it is sent. */
export interface Sent {
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

  /** Throws when no file is at this path, or the files cannot be read. */
  async get(path: string, acceptEncoding: string | undefined): Promise<Sent> {
    this.#prepared ??= this.#prepare()
    const file = (await this.#prepared).get(path)
    if (file === undefined) throw new Error(`there is no file at ${path}`)
    const gzip = acceptsGzip(acceptEncoding)
    const body = gzip ? file.gzipped : file.plain
    return {
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
      headers: gzip ? [...this.#headers, 'Content-Encoding', 'gzip'] : this.#headers,
    }
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
function acceptsGzip(header = ''): boolean {
  return header.split(',').some((coding) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9])\S*\s*)?$/i.test(coding))
}
