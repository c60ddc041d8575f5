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
}

/** Opens the ports, and closes them again. Throws the system's error, or that of TLS. */
export async function tryPorts({ host, port, operatorHost, operatorPort, tls }: Ports): Promise<void> {
  if (tls !== undefined) process.getBuiltinModule('node:tls').createSecureContext(tls)
  const addresses = [{ host, port }]
  if (operatorPort !== undefined) addresses.push({ host: operatorHost, port: operatorPort })
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
