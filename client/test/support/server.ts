/** A local server that answers as a test scripts it, for what the real service cannot be made to do. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createRawServer, type Server, type Socket } from 'node:net'

// An import statement would load the WebSocket client too, in every file of tests.
const { createServer } = process.getBuiltinModule('node:http')

export interface ScriptedServer extends AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string
  /** Method and target of each request. */
  readonly requests: readonly string[]
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server that gives the first request the first answer, and so on; the last is for all that follow. */
export async function serve(...script: readonly Answer[]): Promise<ScriptedServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const answer = script[Math.min(requests.length, script.length - 1)]
    requests.push(`${request.method} ${request.url}`)
    request.resume()
    answer?.(request, response)
  })
  const port = await listen(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A server that lists nothing, and resets the connection of each POST after its head has arrived. */
export function serveBreaking(): Promise<ScriptedServer> {
  return serve((request, response) => {
    if (request.method === 'POST') request.socket.resetAndDestroy()
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]')
  })
}

/** A server that gives each connection to `onData` once bytes have come in, for answers that are not even HTTP. */
export async function serveRaw(onData: (socket: Socket) => void): Promise<ScriptedServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createRawServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      requests.push(data.toString('latin1').split(' HTTP/')[0] ?? '')
      onData(socket)
    })
  })
  const port = await listen(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Answers with JSON text as it stands. */
export function json(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text)
  }
}

/** Answers with an Error of the interface. */
export function failure(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return json(status, JSON.stringify({ code, message: `scripted ${status}`, status }), headers)
}
