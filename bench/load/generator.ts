/**
 * Load at a fixed rate, for latencies. Requests fall due on a schedule that no answer can delay, and each latency
 * counts from the moment its request was due: a stalled server is charged for every request that fell due meanwhile.
 * Called as `generator.ts PORT KEY REQUESTS RATE WARMUP-SECONDS SECONDS CONNECTIONS`; prints one line of JSON. It polls
 * instead of using timers, which add up to a millisecond. The latency that it adds itself shows in the row of `raw`.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const READ_BUFFER_BYTES = 1 << 16
const HEAD_END = Buffer.from('\r\n\r\n')
const STATUS_OFFSET = 'HTTP/1.1 '.length
/** How long answers may still arrive after the last request was sent. */
const DRAIN_MS = 5_000

const [port, key, requestsFile = '', ...numbers] = process.argv.slice(2)
const [rate = 0, warmUpSeconds = 0, seconds = 0, connectionCount = 0] = numbers.map(Number)
const perMs = rate / 1_000
const warmUpRequests = Math.round(rate * warmUpSeconds)
const totalRequests = Math.round(rate * (warmUpSeconds + seconds))

const wire = readFileSync(requestsFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [method, target, body = ''] = line.split('\t')
    const content = body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n${content}\r\n`
    return Buffer.from(head + body)
  })

/** Indexed by request number. */
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
  /** Bytes of the answer that are still missing; negative while its head is not complete. */
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

/** Sends the requests that are due, as far as connections are idle. */
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

const connections = Array.from({ length: connectionCount }, () => new Connection())
await Promise.all(connections.map((connection) => connection.open()))
startMs = performance.now()
await new Promise<void>((resolve) => turn(resolve))
const tookSeconds = (performance.now() - startMs) / 1_000
for (const connection of connections) connection.close()

const samples = latenciesMs.subarray(warmUpRequests).sort()
const percentileMs = (share: number) => samples[Math.ceil(share * samples.length) - 1] ?? 0
console.log(
  JSON.stringify({
    requests: answered,
    seconds: tookSeconds,
    unanswered: totalRequests - answered,
    badStatus,
    socketErrors,
    p50Ms: percentileMs(0.5),
    p99Ms: percentileMs(0.99),
    p999Ms: percentileMs(0.999),
  }),
)
