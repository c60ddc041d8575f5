/** Start and shutdown of the service: checks ports and inherited sockets, and closes in order. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { assertUsable } from '../common/certificate.ts'
import { type Clock, within } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'

const WARM_UP_ROUNDS = 10
const TICKS_PER_ROUND = 100

/** Otherwise V8 optimises `process.nextTick` for the mixed calls of a start, and each request pays 2 µs more. */
export async function warmUpTicks(): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (let tick = 0; tick < TICKS_PER_ROUND; tick += 1) process.nextTick(nothing)
    await new Promise(setImmediate)
  }
}

function nothing(): void {}

export interface PortSettings {
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number | undefined
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** File descriptors inherited from systemd, which keeps them open for the next process. */
  readonly sockets?: { readonly public: number; readonly operator: number | undefined } | undefined
}

/** Call it before opening the database, which might upgrade it. Throws the error of the system or of TLS. */
export async function checkPorts(
  { host, port, operatorHost, operatorPort, tls, sockets }: PortSettings,
  isToTry: (port: number) => boolean = () => true,
): Promise<void> {
  if (tls !== undefined) assertUsable(tls)
  const addresses = sockets === undefined ? [{ host, port }] : []
  if (operatorPort !== undefined && sockets?.operator === undefined)
    addresses.push({ host: operatorHost, port: operatorPort })
  const open: Server[] = []
  try {
    for (const address of addresses.filter(({ port }) => isToTry(port))) {
      const server = createServer().listen(address)
      await once(server, 'listening')
      open.push(server)
    }
  } finally {
    await Promise.all(open.map((server) => once(server.close(), 'close')))
  }
}

/** Call it before listen(), and the returned check before any connection is accepted. It throws ExplainedError. */
export async function socketAssertion(server: Server, host: string, port: number): Promise<() => void> {
  const { address } = await lookup(host)
  return () => {
    const bound = server.address() as AddressInfo
    if (bound.address === address && bound.port === port) return
    throw new ExplainedError(
      `The inherited socket is at ${bound.address} port ${bound.port}, but the settings say ${address} port ${port}. Correct ListenStream= of pets.socket or the settings.`,
    )
  }
}

type Close = () => Promise<void> | void

export interface Listener {
  readonly close: Close
  /** Runs before `close` if another process takes over the socket. */
  readonly handOver?: () => Promise<void>
}

const PORTS_TIMEOUT_MS = 6_500
const RESOURCES_TIMEOUT_MS = 2_500

/** Closes the ports and then the resources, in order. Whatever is late is left. */
export class Shutdown {
  readonly #clock: Clock
  readonly #warn: (why: string) => void
  readonly #stopping = new AbortController()
  readonly #resources = new AsyncDisposableStack()
  readonly #ports: Listener[] = []

  constructor(clock: Clock, warn: (why: string) => void) {
    this.#clock = clock
    this.#warn = warn
  }

  /** Aborted before the first resource is closed. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  addResource(close: Close): void {
    this.#resources.defer(close)
  }

  addPort(port: Listener): void {
    this.#ports.push(port)
  }

  /** Ports that another process takes over close with the public one last, whose clients wait for the next process. */
  async run(): Promise<void> {
    await this.#inTime(PORTS_TIMEOUT_MS, 'requests were', this.#closePorts(this.#ports.splice(0)))
    await this.closeResources()
  }

  async #closePorts(ports: Listener[]): Promise<void> {
    const isHandedOn = ports.some(({ handOver }) => handOver !== undefined)
    await Promise.all(ports.map((port) => port.handOver?.()))
    for (const { close } of isHandedOn ? ports : ports.reverse()) await close()
  }

  closeResources(): Promise<void> {
    this.#stopping.abort()
    return this.#inTime(RESOURCES_TIMEOUT_MS, 'the store was', this.#resources.disposeAsync())
  }

  #inTime(ms: number, what: string, closing: Promise<void>): Promise<void> {
    return within(this.#clock, ms, closing, () => this.#warn(`${what} still working and cut off`))
  }
}
