/** Request bodies (R1, R10, O19, O23): media type, limits, and reading into one buffer, with a fixed length or chunked. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BODY_TOO_LARGE, INCOMPLETE, TOO_MANY_CHUNKS } from './error-responses.ts'
import { holdReading } from './flooding.ts'
import type { HttpResponse } from './response.ts'
import { countFields } from './route.ts'

const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i
const LONGEST_SHOWN = 100
export const NO_BODY: Buffer = Buffer.alloc(0)
/** Smaller bodies reserve no memory: a connection takes more. */
export const UNCOUNTED_BODY_BYTES = 1_024

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Whether the request asks for another protocol. It is the last on its connection: node's parser stops behind it. */
export function requestsUpgrade(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade !== undefined
}

/** Why the media type is not JSON, as a part of a sentence. */
export function mediaTypeProblem({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>) {
  const type = headers['content-type']
  if (type !== undefined && countFields(rawHeaders, 'content-type') > 1) return 'two Content-Type fields were sent'
  if (type !== undefined) return JSON_TYPE.test(type) ? undefined : `${excerpt(type)} was sent`
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  return isEmpty ? undefined : 'no Content-Type was sent'
}

export function contentCodingProblem({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const coding = headers['content-encoding'] ?? 'identity'
  return coding.toLowerCase() === 'identity' ? undefined : `the coding ${excerpt(coding)} was sent`
}

function excerpt(field: string): string {
  return field === '' ? 'nothing' : field.slice(0, LONGEST_SHOWN).replace(/[^ -~]/g, '?')
}

/** The most bytes that the body can have; undefined if its headers exceed the limit. */
export function maxBodySize(headers: IncomingHttpHeaders, limit: number): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return limit
  const length = Number(headers['content-length'] ?? 0)
  return length > limit ? undefined : length
}

/** The chunks that a body can have, and the bytes for each further one: a chunk costs as much as 100 bytes of JSON. */
const FREE_CHUNKS = 128
const BYTES_PER_CHUNK = 128

/** Counts a chunk; false if there are too many. Bodies that wait on one connection share the count. */
export type TakeChunk = (length: number) => boolean

export function chunkAllowance(onExceeded: () => void): TakeChunk {
  let [chunksLeft, bytes] = [FREE_CHUNKS, 0]
  return (length) => {
    bytes += length
    chunksLeft -= 1
    if (chunksLeft + bytes / BYTES_PER_CHUNK >= 0) return true
    if (chunksLeft !== Number.NEGATIVE_INFINITY) onExceeded()
    chunksLeft = Number.NEGATIVE_INFINITY
    return false
  }
}

/** The body of a request. Until `read` is called, nothing is read except what came with the headers. */
export class IncomingBody {
  readonly #request: IncomingMessage
  readonly #limit: number
  readonly #takeChunk: TakeChunk | undefined
  readonly #whole = Promise.withResolvers<Buffer | HttpResponse | undefined>()
  /** Larger than `#size` while more is expected. */
  #bytes: Buffer = NO_BODY
  #size = 0
  #isWanted = false
  #isUnwanted = false
  #isRefused = false
  #readOn: (() => void) | undefined

  constructor(request: IncomingMessage, limit: number, takeChunk: TakeChunk | undefined) {
    this.#request = request
    this.#limit = limit
    this.#takeChunk = takeChunk
    request.on('data', (part: Buffer) => this.#add(part))
    request.on('end', () => {
      this.#whole.resolve(this.#size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#size))
      if (!this.#isRefused) this.#resume()
    })
    const abort = () => this.#whole.resolve(undefined)
    request.on('error', abort).on('close', abort)
  }

  /** Its connection ends with the response. */
  get isUnread(): boolean {
    return this.#isRefused || !this.#request.complete
  }

  /** The whole body, or why it was refused; undefined if the client has gone. */
  read(): Promise<Buffer | HttpResponse | undefined> {
    const { socket, headers } = this.#request
    this.#isWanted = true
    if (!this.#isRefused) this.#resume()
    // For every other request the parser itself reports this.
    if (requestsUpgrade(headers)) socket.once('end', () => this.refuse(INCOMPLETE))
    return this.#whole.promise
  }

  refuse(response: HttpResponse): void {
    this.#isRefused = true
    this.#whole.resolve(response)
    this.drop()
  }

  drop(): void {
    this.#bytes = NO_BODY
    this.#isUnwanted = true
    if (this.isUnread) this.#hold()
  }

  #add(part: Buffer): void {
    const mayCome = this.#takeChunk?.(part.length) ?? true
    if (!mayCome) this.refuse(TOO_MANY_CHUNKS)
    if (this.#isUnwanted) return
    const size = this.#size + part.length
    if (size > this.#limit) {
      this.refuse(BODY_TOO_LARGE)
      return
    }
    if (size > this.#bytes.length) this.#grow(part, size)
    else part.copy(this.#bytes, this.#size)
    this.#size = size
    if (!this.#isWanted && size > UNCOUNTED_BODY_BYTES && !this.#request.complete) this.#hold()
  }

  /** Most bodies are one part, which is not copied. */
  #grow(part: Buffer, size: number): void {
    if (this.#size === 0) {
      this.#bytes = part
      return
    }
    const expected = Number(this.#request.headers['content-length'] ?? Math.max(2 * size, UNCOUNTED_BODY_BYTES))
    const bytes = Buffer.allocUnsafeSlow(Math.min(expected, this.#limit))
    this.#bytes.copy(bytes, 0, 0, this.#size)
    part.copy(bytes, this.#size)
    this.#bytes = bytes
  }

  #hold(): void {
    this.#readOn ??= holdReading(this.#request.socket)
  }

  #resume(): void {
    this.#readOn?.()
    this.#readOn = undefined
  }
}
