/** The address that a request without a key counts towards (O14), also behind trusted proxies. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'

/** Whether the address, this many hops away, is a trusted proxy. */
export type TrustProxy = (address: string, hop: number) => boolean

export function compileTrustProxy(addresses: readonly string[]): TrustProxy {
  return proxyAddress.compile([...addresses])
}

export function clientAddress({ socket, headers }: IncomingMessage, trust: TrustProxy): string {
  let address = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return address
  // Each proxy appends the address of its peer.
  for (const [hop, entry] of forwarded.split(',').reverse().entries()) {
    const next = trust(address, hop) ? addressOf(entry.trim()) : undefined
    if (next === undefined) break
    address = next
  }
  return address
}

/** `192.0.2.7:1001`, `[2001:db8::7]` or `[2001:db8::7]:1001`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/

/** The address without brackets and port; undefined for other text. */
function addressOf(entry: string): string | undefined {
  const [, bracketed, beforePort] = WITH_PORT.exec(entry) ?? []
  const address = bracketed ?? beforePort ?? entry
  return isIP(address) === 0 ? undefined : address
}
