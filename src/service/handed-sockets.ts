/** Sockets that the service did not open itself must be those that it would have opened. */
import { lookup } from 'node:dns/promises'
import type { AddressInfo, Server } from 'node:net'
import { ExplainedError } from '../common/errors.ts'

/**
 * Call it before the server listens, and the result then, which waits for nothing: what is accepted belongs to a
 * service that has started. It throws ExplainedError: a port elsewhere than the settings say may be open to others, or
 * be one that nobody asks.
 */
export async function expectAt(server: Server, host: string, port: number): Promise<() => void> {
  const { address } = await lookup(host)
  return () => {
    const handed = server.address() as AddressInfo
    if (handed.address === address && handed.port === port) return
    throw new ExplainedError(
      `The socket that was handed over is at ${handed.address} port ${handed.port}, and the settings say ${address} port ${port}; make ListenStream= of pets.socket and the settings agree.`,
    )
  }
}
