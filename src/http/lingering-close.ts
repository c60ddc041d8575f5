/**
 * Ends connections whose peer may still be sending what nobody will use. Closing at once would reset the connection,
 * and the peer could lose the answer; reading on as before would let it keep the service busy. So the service says that
 * it has sent everything, drops a bounded part of what comes, unparsed, and then closes, as nginx does (lingering_close).
 */
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'

/** How long the peer may take to read the answer. */
const LINGER_MS = 1_000
/** How long it may take to accept the answer, if more was unsent than the system buffers. */
const UNSENT_MS = 30_000
/** The most that is dropped; after that nothing more is read. */
const DROPPED_BYTES = 131_072
/** A read of less counts as so much. */
const MIN_READ_BYTES = 4_096

/** Sends what is unsent, and ends the connection; call it once. */
export function closeLingering(socket: Socket, clock: Clock): void {
  const destroy = () => socket.destroy()
  // They would parse what comes, close this side before everything is sent, or keep it from being read (flooding.ts).
  for (const event of ['data', 'end', 'resume']) socket.removeAllListeners(event)
  let bytesLeft = DROPPED_BYTES
  // A listener of its own takes the socket from node's parser.
  socket.on('data', ({ length }: Buffer) => {
    bytesLeft -= Math.max(length, MIN_READ_BYTES)
    if (bytesLeft <= 0) socket.pause()
  })
  // Ends what the stream takes for a read in progress, so that it reads by itself from now on.
  socket.push('')
  socket.resume()
  const unsent = clock.after(UNSENT_MS, destroy).unref()
  socket.end(() => {
    clock.cancel(unsent)
    clock.after(LINGER_MS, destroy).unref()
  })
}
