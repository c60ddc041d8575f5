/**
 * Reads an HTTP/1.1 answer from the bytes of a connection exactly as it came: header names as spelled, headers in
 * order, nothing merged or decoded. The kit judges answers, so no HTTP library may normalize them first. Also, the HTTP
 * libraries of Node, Bun and Deno differ, while their sockets behave alike.
 */

export interface HttpResponse {
  /** As received, such as `HTTP/1.1 200 OK`. */
  readonly statusLine: string
  readonly status: number
  /** In the order and spelling received. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** All values of a header, in order. */
export function headerValues({ headers }: Pick<HttpResponse, 'headers'>, name: string): readonly string[] {
  const lowerCaseName = name.toLowerCase()
  return headers.filter(([other]) => other.toLowerCase() === lowerCaseName).map(([, value]) => value)
}

export function header(answer: Pick<HttpResponse, 'headers'>, name: string): string | undefined {
  return headerValues(answer, name)[0]
}

/** A whole answer, and whether its connection can serve another request. */
export interface ReadAnswer {
  readonly answer: HttpResponse
  readonly isReusable: boolean
}

/** What came is not HTTP; the message says what it is. */
class NotHttp extends Error {}

const MOST_HEADER_BYTES = 1 << 20

export class AnswerReader {
  readonly #method: string
  #received = Buffer.alloc(0)

  /** The method decides whether a body follows: none does after HEAD. */
  constructor(method: string) {
    this.#method = method
  }

  /** Adds bytes. Undefined until the answer is complete. `isEnd`: the connection was closed. Throws NotHttp. */
  read(bytes: Buffer, isEnd = false): ReadAnswer | undefined {
    this.#received = Buffer.concat([this.#received, bytes])
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end === -1) {
        if (this.#received.length > MOST_HEADER_BYTES) throw new NotHttp('headers that do not end')
        if (!isEnd) return undefined
        throw new NotHttp(this.#received.length === 0 ? 'the connection was closed without an answer' : this.#excerpt())
      }
      const head = this.#head(end)
      // Interim answers come before the real one.
      const isInterim = head.status >= 100 && head.status < 200 && head.status !== 101
      if (!isInterim) return this.#whole(head, this.#received.subarray(end + 4), isEnd)
      this.#received = this.#received.subarray(end + 4)
    }
  }

  #head(end: number): Omit<HttpResponse, 'body'> {
    const [statusLine = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new NotHttp(this.#excerpt())
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new NotHttp(`an answer with the header line ${JSON.stringify(line.slice(0, 60))}`)
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    return { statusLine: statusLine.trimEnd(), status, headers }
  }

  #whole(head: Omit<HttpResponse, 'body'>, rest: Buffer, isEnd: boolean): ReadAnswer | undefined {
    const { status } = head
    const stays = !/\bclose\b/i.test(header(head, 'Connection') ?? '') && head.statusLine.startsWith('HTTP/1.1')
    const complete = (body: Buffer, isReusable = stays): ReadAnswer => ({ answer: { ...head, body }, isReusable })
    if (this.#method === 'HEAD' || status < 200 || status === 204 || status === 304) {
      return complete(Buffer.alloc(0), stays && rest.length === 0)
    }
    if (/chunked/i.test(header(head, 'Transfer-Encoding') ?? '')) {
      const chunks = readChunks(rest)
      if (chunks === undefined && isEnd) throw new NotHttp('a chunked body that breaks off')
      return chunks === undefined ? undefined : complete(chunks.body, stays && chunks.isAll)
    }
    const length = header(head, 'Content-Length')
    if (length === undefined) return isEnd ? complete(rest, false) : undefined
    if (!/^\d+$/.test(length)) throw new NotHttp(`an answer whose Content-Length is ${JSON.stringify(length)}`)
    if (rest.length >= Number(length))
      return complete(rest.subarray(0, Number(length)), stays && rest.length === Number(length))
    if (isEnd) throw new NotHttp(`a body that breaks off after ${rest.length} of ${length} bytes`)
    return undefined
  }

  #excerpt(): string {
    return `bytes that are not HTTP, ${JSON.stringify(this.#received.toString('latin1', 0, 40))}`
  }
}

/** Decodes a chunked body; undefined until the last chunk has arrived. `isAll`: no bytes follow it. */
function readChunks(bytes: Buffer): { body: Buffer; isAll: boolean } | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = /^([0-9a-f]+)\s*(?:;|$)/i.exec(bytes.toString('latin1', at, lineEnd))?.[1]
    if (size === undefined) throw new NotHttp('a chunk without its length')
    const start = lineEnd + 2
    const length = Number.parseInt(size, 16)
    if (length === 0) {
      const end = bytes.indexOf('\r\n', start)
      if (end === -1) return undefined
      // Trailers are skipped: they end, as headers do, with a blank line.
      const last = end === start ? end + 2 : bytes.indexOf('\r\n\r\n', start) + 4
      return last < 4 ? undefined : { body: Buffer.concat(parts), isAll: last === bytes.length }
    }
    if (bytes.length < start + length + 2) return undefined
    parts.push(bytes.subarray(start, start + length))
    at = start + length + 2
  }
}
