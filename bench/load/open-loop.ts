/**
 * Load at a fixed rate, for latencies. Requests fall due on a schedule that no answer can delay, and each latency
 * counts from the moment its request was due, not from when a connection was free to carry it: a server that stalls is
 * charged for everyone who would have come meanwhile. 64 connections, one request at a time on each.
 *
 * A process of its own, called as `open-loop.ts PORT KEY REQUESTS RATE WARMUP-SECONDS SECONDS CONNECTIONS [TARGET]`;
 * prints one line of JSON, whose latencies are those of the requests to TARGET, or of all. It keeps its core busy on
 * purpose: a timer would add up to a millisecond to every figure. What it adds itself can be read from the `raw`
 * target's row.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readRequests } from './read-requests.ts'

const READ_BUFFER_BYTES = 1 << 16
const HEAD_END = Buffer.from('\r\n\r\n')
const STATUS_OFFSET = 'HTTP/1.1 '.length
/** How long responses may still arrive after the last request fell due. */
const DRAIN_MS = 5_000

const [port, key, requestsFile = '', rateText, warmupText, secondsText, connectionsText, only] = process.argv.slice(2)
const perMs = Number(rateText) / 1000
const warmupRequests = Math.round(Number(rateText) * Number(warmupText))
const totalRequests = warmupRequests + Math.round(Number(rateText) * Number(secondsText))

const requests = readRequests(requestsFile)
const wire = requests.map(({ method, target, body }) => {
  const content = body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n${content}\r\n`
  return Buffer.from(head + body)
})

/** By number of the request; only those after the warm-up are reported. */
const latenciesMs = new Float64Array(totalRequests)
const idle: Connection[] = []
let startMs = 0
let sent = 0
let answered = 0
let badStatus = 0
let socketErrors = 0

class Connection {
  readonly #socket: Socket
  #request = 0
  /** Bytes of the response that are still missing; negative while its head is not complete. */
  #missing = -1
  /** The part of a head that did not fit one read. */
  #partialHead: Buffer | undefined

  constructor() {
    const buffer = Buffer.allocUnsafe(READ_BUFFER_BYTES)
    this.#socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback: (length) => this.#read(buffer.subarray(0, length)) },
    })
    this.#socket.on('error', () => socketErrors++)
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect')
    idle.push(this)
  }

  close(): void {
    this.#socket.destroy()
  }

  send(request: number): void {
    this.#request = request
    this.#missing = -1
    const bytes = wire[request % wire.length]
    if (bytes) this.#socket.write(bytes)
  }

  #read(bytes: Buffer): boolean {
    if (this.#missing < 0) this.#readHead(this.#partialHead ? Buffer.concat([this.#partialHead, bytes]) : bytes)
    else this.#missing -= bytes.length
    if (this.#missing === 0) this.#finish()
    return true
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      this.#partialHead = Buffer.from(bytes)
      return
    }
    this.#partialHead = undefined
    const head = bytes.toString('latin1', 0, end)
    if (head[STATUS_OFFSET] !== '2') badStatus++
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1])
    this.#missing = end + HEAD_END.length + length - bytes.length
  }

  #finish(): void {
    latenciesMs[this.#request] = performance.now() - startMs - this.#request / perMs
    answered++
    idle.push(this)
    sendDue()
  }
}

/** Sends what has fallen due, as far as there are connections free. */
function sendDue(): void {
  const due = Math.min(totalRequests, Math.floor((performance.now() - startMs) * perMs) + 1)
  while (sent < due) {
    const connection = idle.pop()
    if (!connection) return
    connection.send(sent++)
  }
}

function turn(resolve: () => void): void {
  sendDue()
  const lastMs = startMs + totalRequests / perMs + DRAIN_MS
  if (answered === totalRequests || socketErrors > 0 || performance.now() > lastMs) resolve()
  else setImmediate(turn, resolve)
}

const connections = Array.from({ length: Number(connectionsText) }, () => new Connection())
await Promise.all(connections.map((connection) => connection.open()))
startMs = performance.now()
await new Promise<void>((resolve) => turn(resolve))
const seconds = (performance.now() - startMs) / 1000
for (const connection of connections) connection.close()

const isMeasured = (request: number) => !only || requests[request % requests.length]?.target === only
const measured = latenciesMs.filter((_, request) => request >= warmupRequests && isMeasured(request)).sort()
const percentileMs = (share: number) => measured[Math.ceil(share * measured.length) - 1] ?? 0
console.log(
  JSON.stringify({
    requests: answered,
    unanswered: totalRequests - answered,
    perSecond: answered / seconds,
    badStatus,
    socketErrors,
    p50Ms: percentileMs(0.5),
    p99Ms: percentileMs(0.99),
    p999Ms: percentileMs(0.999),
  }),
)
