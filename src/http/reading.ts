/**
 * Keeps node from reading and parsing what nobody will use, or nobody yet. Its parser makes an object and a call for each
 * chunk of a body, and more for each request: the 64 KiB of one read can be 11,000 chunks, or 20 ms, and a read that has
 * begun cannot be stopped. Without its callbacks the parser is through them in less than 1 ms.
 */
import type { Socket } from 'node:net'

/** Reads nothing more of the connection; the result lets it go on. */
export function holdReading(socket: Socket): () => void {
  // Node goes on by itself when a request is complete, or when the stream of a body has room.
  const hold = () => socket.pause()
  socket.on('resume', hold)
  hold()
  return () => {
    socket.off('resume', hold)
    socket.resume()
  }
}

/** The positions of the callbacks in node's HTTPParser. */
const ON_HEADERS = 1
const ON_HEADERS_COMPLETE = 2
const ON_BODY = 3
const ON_MESSAGE_COMPLETE = 4

type Callbacks = Record<number, ((this: unknown) => unknown) | null>

/** Skips the rest of the body that is being read, as far as it has come, and reads nothing more of it. */
export function skipBody(socket: Socket): void {
  const parser = parserOf(socket)
  const onMessageComplete = parser?.[ON_MESSAGE_COMPLETE]
  if (parser?.[ON_BODY] == null || onMessageComplete == null) return
  const readOn = holdReading(socket)
  const restore = replace(socket, parser, {
    [ON_BODY]: null,
    [ON_MESSAGE_COMPLETE]() {
      restore()
      readOn()
      return onMessageComplete.call(this)
    },
  })
}

/** Skips all that comes until the connection closes. Call it between two requests. */
export function skipRest(socket: Socket): void {
  const parser = parserOf(socket)
  if (parser == null) return
  replace(socket, parser, {
    [ON_HEADERS]: null,
    [ON_HEADERS_COMPLETE]: null,
    [ON_BODY]: null,
    [ON_MESSAGE_COMPLETE]: null,
  })
}

function parserOf(socket: Socket): Callbacks | null | undefined {
  return (socket as Socket & { readonly parser?: Callbacks | null }).parser
}

/** Parsers are used again, also for other connections, so the callbacks come back when this one closes at the latest. */
function replace(socket: Socket, parser: Callbacks, callbacks: Callbacks): () => void {
  const before = Object.keys(callbacks).map((position) => [position, parser[Number(position)]])
  const restore = () => {
    Object.assign(parser, Object.fromEntries(before))
    socket.removeListener('close', restore)
  }
  socket.once('close', restore)
  Object.assign(parser, callbacks)
  return restore
}
