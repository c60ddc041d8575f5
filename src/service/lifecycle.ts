/** Start and shutdown of the service: trial of the ports, checks of inherited sockets, and the order of closing. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { assertUsable } from '../common/certificate.ts'
import { type Clock, within } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'

const WARM_UP_ROUNDS = 10
const TICKS_PER_ROUND = 100

/**
 * Warms up node's `process.nextTick` before the service accepts requests. V8 specialises the object that nextTick
 * creates for each tick on its first thousand calls; with the mixed calls of a start-up it settles on a slow path for
 * good, and each request pays 2 µs for its four ticks. A few milliseconds here avoid that.
 */
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
  /**
   * File descriptors of listening sockets inherited from systemd, in place of the ports. systemd keeps them open for
   * the next process.
   */
  readonly sockets?: { readonly public: number; readonly operator: number | undefined } | undefined
}

/**
 * Opens and closes the ports that are not inherited, before the database is opened: that may migrate the database, and
 * then an earlier version could not start again. `isToTry`: whether one is. Throws the error of the system or of TLS.
 */
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

/**
 * Checks that an inherited socket has the address of the settings: another one may be open to others, or used by
 * no client. Call it before listen(), and the returned check once the server listens. The check is synchronous, so
 * that no connection is accepted before it; it throws ExplainedError.
 */
export async function socketAssertion(server: Server, host: string, port: number): Promise<() => void> {
  const { address } = await lookup(host)
  return () => {
    const bound = server.address() as AddressInfo
    if (bound.address === address && bound.port === port) return
    throw new ExplainedError(
      `The socket that was handed over is at ${bound.address} port ${bound.port}, and the settings say ${address} port ${port}; make ListenStream= of pets.socket and the settings agree.`,
    )
  }
}

type Close = () => Promise<void> | void

export interface Listener {
  readonly close: Close
  /** Runs before `close`, if another process takes over the socket. */
  readonly handOver?: () => Promise<void>
}

/** How long ports, their handover included, and resources have to close, in ms. */
const PORTS_TIMEOUT_MS = 6_500
const RESOURCES_TIMEOUT_MS = 2_500

/** Closes the ports, and then the resources behind them, in order; what is late is left as it is. */
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

  /** Aborted before the first resource is closed: what the service does by itself ends. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  addResource(close: Close): void {
    this.#resources.defer(close)
  }

  addPort(port: Listener): void {
    this.#ports.push(port)
  }

  /**
   * Closes in reverse order of opening. Ports that another process takes over are closed in the order of opening: the
   * public one comes last, because from then on its clients wait for the next process.
   */
  async run(): Promise<void> {
    await this.#inTime(PORTS_TIMEOUT_MS, 'requests are', this.#closePorts(this.#ports.splice(0)))
    await this.closeResources()
  }

  async #closePorts(ports: Listener[]): Promise<void> {
    const isHandedOn = ports.some(({ handOver }) => handOver !== undefined)
    await Promise.all(ports.map((port) => port.handOver?.()))
    for (const { close } of isHandedOn ? ports : ports.reverse()) await close()
  }

  /** Closes the resources and leaves the ports. */
  closeResources(): Promise<void> {
    this.#stopping.abort()
    return this.#inTime(RESOURCES_TIMEOUT_MS, 'the store is', this.#resources.disposeAsync())
  }

  #inTime(ms: number, what: string, closing: Promise<void>): Promise<void> {
    return within(this.#clock, ms, closing, () => this.#warn(`${what} still at work, and cut off`))
  }
}
