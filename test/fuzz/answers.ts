/**
 * Parses responses from the bytes of a connection, independently and strictly: anything that is not a response is
 * reported.
 */

export interface Received {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface Read {
  readonly answers: readonly Received[]
  /** The text after the last complete response. */
  readonly rest: string
  readonly complaint?: string
}

/**
 * `text`: one character per byte. `methods`: of the requests, in order, as far as they are known, since the response to
 * a HEAD has no body, unless HTTP's parser refused the request before its method was known.
 */
export function readAnswers(text: string, methods: readonly string[]): Read {
  const answers: Received[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { answers, rest }
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(first)?.[1])
    if (!(status >= 100))
      return { answers, rest, complaint: `not a status line: ${JSON.stringify(first.slice(0, 80))}` }
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    if (headers.size !== lines.length) return { answers, rest, complaint: `a header twice: ${lines.join(', ')}` }
    const after = rest.slice(end + 4)
    if (status < 200) {
      rest = after
      continue
    }
    const mayBeHead = (methods[answers.length] ?? 'HEAD') === 'HEAD'
    const isBare = status === 204 || status === 304 || (mayBeHead && (after === '' || after.startsWith('HTTP/1.1 ')))
    const length = isBare ? 0 : lengthOf(headers, after)
    if (after.length < length) return { answers, rest }
    answers.push({ status, headers, body: Buffer.from(after.slice(0, length), 'latin1').toString() })
    rest = after.slice(length)
  }
}

/**
 * The length of the body at the start of `text`, with its framing; infinite if there is no length, or the last chunk is
 * missing.
 */
function lengthOf(headers: ReadonlyMap<string, string>, text: string): number {
  if (headers.get('transfer-encoding') !== 'chunked') return Number(headers.get('content-length') ?? Infinity)
  for (let at = 0; ; ) {
    const size = /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 20))?.[1]
    if (size === undefined) return Infinity
    at += size.length + 2 + Number.parseInt(size, 16) + 2
    if (/^0+$/.test(size)) return at
  }
}
