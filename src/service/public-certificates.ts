/** When the certificates expire that clients see at `public-url` and `office`: a proxy might hold them. */
import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { EXPIRY_WARNING_MS } from '../common/certificate.ts'
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, type Timer, within } from '../common/clock.ts'

const TIMEOUT_MS = 10_000

export class PublicCertificates {
  /** Expiry in Unix ms by address, such as `https://office.example`; an unknown one is missing. */
  readonly endsMs = new Map<string, number>()
  readonly #addresses: ReadonlySet<string>
  readonly #clock: Clock
  readonly #log: Pick<Logger, 'warn'>
  #timer: Timer | undefined

  constructor(urls: readonly (string | undefined)[], clock: Clock, log: Pick<Logger, 'warn'>) {
    const origins = urls.map((url) => (url === undefined ? '' : new URL(url).origin))
    this.#addresses = new Set(origins.filter((origin) => origin.startsWith('https:')))
    this.#clock = clock
    this.#log = log
    if (this.#addresses.size > 0) this.#wait(MINUTE_MS)
  }

  close(): void {
    this.#clock.cancel(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    this.#timer = this.#clock.after(ms, () => void this.#read()).unref()
  }

  async #read(): Promise<void> {
    await Promise.all([...this.#addresses].map((address) => this.#readOne(address)))
    if (this.#timer === undefined) return
    const areFine = [...this.#addresses].every(
      (address) => (this.endsMs.get(address) ?? 0) > this.#clock.now() + EXPIRY_WARNING_MS,
    )
    this.#wait(areFine ? DAY_MS : HOUR_MS)
  }

  async #readOne(address: string): Promise<void> {
    try {
      this.endsMs.set(address, await expiryAt(address, this.#clock))
    } catch (error) {
      this.#log.warn(`the certificate of ${address} cannot be read: ${(error as Error).message}`)
    }
  }
}

/** Unix ms. Loads node:tls, which would cost a start without TLS some ms. */
async function expiryAt(address: string, clock: Clock): Promise<number> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = process.getBuiltinModule('node:tls').connect({
    host,
    port: Number(port) || 443,
    ...(isIP(host) === 0 && { servername: host }),
    // Node does not know a shelter's own CA, and only the date is read.
    rejectUnauthorized: false,
  })
  socket.unref()
  const handshake = new Promise<number>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
    socket.once('secureConnect', () => resolve(Date.parse(socket.getPeerX509Certificate()?.validTo ?? '')))
  })
  try {
    return await within(clock, TIMEOUT_MS, handshake, () => {
      throw new Error(`no response within ${TIMEOUT_MS / 1000} s`)
    })
  } finally {
    socket.destroy()
  }
}
