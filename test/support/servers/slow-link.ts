/** A TCP proxy that delays data, or lets none through. */
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Each byte arrives `delayMs` after it was sent, in either direction. */
export async function startSlowLink(toPort: number, delayMs: number, port = 0) {
  const open = new Set<Socket>()
  const carrying = new EventEmitter()
  let connections = 0
  let isFrozen = false
  const server = createServer((client) => {
    connections += 1
    const upstream = connect(toPort, '127.0.0.1')
    const closeBoth = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.setNoDelay()
      from.on('error', closeBoth).on('close', () => {
        open.delete(from)
        closeBoth()
      })
      from.on('data', (chunk) => {
        carrying.emit('data')
        setTimeout(() => to.writable && to.write(chunk), delayMs)
      })
      if (isFrozen) from.pause()
    }
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  /** Closes every connection, as a firewall that restarts. */
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port: number) {
      toPort = port
    },
    connections: () => connections,
    /** Resolves when data passes. */
    carried: async () => void (await once(carrying, 'data')),
    cut,
    /** Lets nothing through, so that the server looks frozen; connections stay open. */
    freeze() {
      isFrozen = true
      for (const socket of open) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of open) socket.resume()
    },
    /** Lets nothing through on open connections, as a firewall that has forgotten them; new ones work. */
    forget() {
      for (const socket of open) socket.pause()
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
    },
  }
}

/** A slow link to a database, and the URL through it. */
export async function behindSlowLink(database: string, delayMs: number) {
  const url = new URL(database)
  const link = await startSlowLink(Number(url.port), delayMs)
  url.port = String(link.port)
  return { ...link, url: url.href }
}
