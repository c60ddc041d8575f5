/** Two servers on loopback for each case: the service, and another host, by another name, to which no key may go. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reply } from './case.ts'
import type { Hosted } from './judge.ts'
import type { Stage } from './stage.ts'

/** By other names, as clients tell hosts apart. */
const HOSTS = ['127.0.0.1', 'localhost'] as const

export async function hostOnLoopback(stage: Stage): Promise<Hosted> {
  const servers = [serverOf(stage, false), serverOf(stage, true)]
  const [port, otherPort] = await Promise.all(servers.map((server, at) => listen(server, HOSTS[at])))
  return {
    baseUrl: `http://${HOSTS[0]}:${port}/v1`,
    elsewhere: `http://${HOSTS[1]}:${otherPort}/v1`,
    close() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

function serverOf(stage: Stage, isElsewhere: boolean): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]))
      const seen = { method, path: url.replace(/^\/v1/, ''), headers: single, body: Buffer.concat(chunks).toString() }
      stage.receive(seen, isElsewhere, (reply) => answer(response, reply))
    })
  })
}

function answer(response: ServerResponse, { status, headers, body = '', broken }: Reply): void {
  if (broken === 'cut') {
    response.destroy()
    return
  }
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  if (broken === undefined) response.end(body)
  else response.write(body.slice(0, -5), () => response.destroy())
}

async function listen(server: Server, host: string | undefined): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}
