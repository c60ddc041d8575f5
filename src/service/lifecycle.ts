/**
 * How the service starts and ends beside its parts: its ports are tried first, sockets handed to it are checked, and
 * what it has opened ends in order.
 */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { ExplainedError } from '../common/errors.ts'

/**
 * Warms up node's `process.nextTick` before the service accepts requests. V8 specialises the object that nextTick
 * creates for each tick on its first thousand calls; with the mixed calls of a start-up it settles on a slow path for
 * good, and each request pays 2 µs for its four ticks. A few milliseconds here avoid that (docs/performance.md).
 */
const ROUNDS = 10
const TICKS = 100

export async function warmUpTicks(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let tick = 0; tick < TICKS; tick += 1) process.nextTick(nothing)
    await new Promise(setImmediate)
  }
}

function nothing(): void {}

interface Ports {
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number | undefined
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly sockets?: { readonly operator: number | undefined } | undefined
}

/**
 * Opens the ports that are not handed over, and closes them again, before the database is opened: opening it may
 * create or migrate it, and after that an earlier version of the software could not start again. Throws the system's
 * error, or that of TLS.
 */
export async function checkPorts({ host, port, operatorHost, operatorPort, tls, sockets }: Ports): Promise<void> {
  if (tls !== undefined) process.getBuiltinModule('node:tls').createSecureContext(tls)
  const addresses = sockets === undefined ? [{ host, port }] : []
  if (operatorPort !== undefined && sockets?.operator === undefined)
    addresses.push({ host: operatorHost, port: operatorPort })
  const open: Server[] = []
  try {
    for (const address of addresses) {
      const server = createServer().listen(address)
      await once(server, 'listening')
      open.push(server)
    }
  } finally {
    await Promise.all(open.map((server) => once(server.close(), 'close')))
  }
}

/**
 * A socket that the service did not open must be the one that it would have opened. Call it before the server listens,
 * and the result then, which waits for nothing: what is accepted belongs to a service that has started. It throws
 * ExplainedError: a port elsewhere than the settings say may be open to others, or be one that nobody asks.
 */
export async function assertListensAt(server: Server, host: string, port: number): Promise<() => void> {
  const { address } = await lookup(host)
  return () => {
    const handed = server.address() as AddressInfo
    if (handed.address === address && handed.port === port) return
    throw new ExplainedError(
      `The socket that was handed over is at ${handed.address} port ${handed.port}, and the settings say ${address} port ${port}; make ListenStream= of pets.socket and the settings agree.`,
    )
  }
}

type Close = () => Promise<void> | void

export interface Port {
  readonly close: Close
  /** What comes before, where another process listens on its socket next. */
  readonly handOver?: () => Promise<void>
}

/** What the service has opened, and the order in which it ends. */
export class Shutdown {
  readonly #data: Close[] = []
  readonly #ports: Port[] = []

  addData(close: Close): void {
    this.#data.push(close)
  }

  addPort(port: Port): void {
    this.#ports.push(port)
  }

  /**
   * Closes in reverse order of opening. Ports that systemd hands over are closed in the order of opening: the public
   * one, which is opened last, closes last, since its clients wait from then on.
   */
  async run(): Promise<void> {
    const ports = this.#ports.splice(0)
    const isHandedOn = ports.some(({ handOver }) => handOver !== undefined)
    await Promise.all(ports.map((port) => port.handOver?.()))
    for (const { close } of isHandedOn ? ports : ports.reverse()) await close()
    await this.closeData()
  }

  /** Closes the data alone. */
  async closeData(): Promise<void> {
    for (const close of this.#data.splice(0).reverse()) await close()
  }
}
