/** Reads the answers on a connection, byte by byte, without a library that forgives. */
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. A header that came twice has both values, joined by a line break. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export class RawClient {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => {}

  constructor(port: number, isSecure = false) {
    const to = { port, host: '127.0.0.1', allowHalfOpen: true }
    this.#socket = isSecure ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to)
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      this.#wake()
    })
    for (const event of ['end', 'close', 'error']) {
      this.#socket.on(event, () => {
        this.#ended = true
        this.#wake()
      })
    }
  }

  /** Resolves when the bytes have left. */
  async send(bytes: string): Promise<void> {
    if (bytes === '' || this.#socket.writableEnded || this.#socket.destroyed) return
    await new Promise<void>((resolve) => this.#socket.write(bytes, 'latin1', () => resolve()))
    // What follows leaves in another packet, and is read in another turn of the event loop.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }

  /** Closes this side in a turn of its own: over TLS node would drop what has arrived and is not read yet. */
  finish(): void {
    setImmediate(() => this.#socket.end())
  }

  /** The next answer that is not interim; undefined when there is none within `ms`, or the connection ends before. */
  async answer(isHead: boolean, ms: number): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = await this.#take(() => this.#parse(isHead), ms)
      if (answer === undefined || answer.status >= 200) return answer
    }
  }

  /** Whether the peer has closed its side within `ms`, with nothing more to read. */
  async hasEnded(ms: number): Promise<boolean> {
    await this.#take(() => (this.#ended || this.#bytes.length > 0 ? true : undefined), ms)
    return this.#ended && this.#bytes.length === 0
  }

  /** What has arrived and was not asked for. */
  get rest(): string {
    return this.#bytes.toString('latin1')
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  async #take<T>(look: () => T | undefined, ms: number): Promise<T | undefined> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.#wake()
    }, ms)
    try {
      for (;;) {
        const found = look()
        if (found !== undefined || late || this.#ended) return found ?? look()
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #parse(isHead: boolean): RawAnswer | undefined {
    const headEnd = this.#bytes.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [first = '', ...lines] = this.#bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [!-~ ]*$/.exec(first)?.[1] ?? 0)
    const headers = new Map<string, string>()
    for (const line of lines) {
      const [name = '', value = ''] = line.split(/: (.*)/s)
      const before = headers.get(name.toLowerCase())
      headers.set(name.toLowerCase(), before === undefined ? value : `${before}\n${value}`)
    }
    const length = isHead || status < 200 || status === 204 ? 0 : Number(headers.get('content-length') ?? Number.NaN)
    const end = headEnd + 4 + (Number.isNaN(length) ? 0 : length)
    if (this.#bytes.length < end) return undefined
    const body = this.#bytes.subarray(headEnd + 4, end)
    this.#bytes = this.#bytes.subarray(end)
    return { status, headers, body }
  }
}
