/** Start and shutdown of the service: trial of the ports, checks of inherited sockets, and the order of closing. */
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
 * Opens and closes the ports that are not inherited, before the database is opened: that may migrate the database, and
 * then an earlier version could not start again. Throws the error of the system or of TLS.
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
 * Checks that an inherited socket has the address of the settings: another one may be reachable by others, or by
 * nobody. Call it before the server listens, and the returned synchronous check right after, before a connection is
 * accepted; it throws ExplainedError.
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
  /** Called before `close`, where another process takes over the socket. */
  readonly handOver?: () => Promise<void>
}

/** Closes the ports and then the data, in order. */
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

  /** Closes the data and leaves the ports. */
  async closeData(): Promise<void> {
    for (const close of this.#data.splice(0).reverse()) await close()
  }
}
