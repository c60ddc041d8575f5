/**
 * Ports that cannot be had and certificates that cannot be used are found before the database is opened: opening it may
 * create or migrate it, and after that an earlier version of the software could not start again.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

interface Ports {
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number | undefined
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly sockets?: { readonly operator: number | undefined } | undefined
}

/** Opens the ports that are not handed over, and closes them again. Throws the system's error, or that of TLS. */
export async function tryPorts({ host, port, operatorHost, operatorPort, tls, sockets }: Ports): Promise<void> {
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
