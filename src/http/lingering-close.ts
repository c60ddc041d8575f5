/**
 * Ends connections whose peer might still be sending, and could lose the response to a reset: closes this side, drops a
 * bounded part of what arrives, then closes the other, like nginx (lingering_close).
 */
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'

/** How long the peer has to read the response. */
const LINGER_MS = 1_000
/** How long it has to accept more than the system buffers. */
const UNSENT_MS = 30_000
/** Then nothing more is read. */
const DROPPED_BYTES = 131_072
/** A shorter read counts as this much. */
const MIN_READ_BYTES = 4_096

export function closeLingering(socket: Socket, clock: Clock): void {
  const destroy = () => socket.destroy()
  // They would parse what arrives, close this side too early, or stop the reading (flooding.ts).
  for (const event of ['data', 'end', 'resume']) socket.removeAllListeners(event)
  let bytesLeft = DROPPED_BYTES
  socket.on('data', ({ length }: Buffer) => {
    bytesLeft -= Math.max(length, MIN_READ_BYTES)
    if (bytesLeft <= 0) socket.pause()
  })
  // The stream takes a read for unfinished, and would not read again.
  socket.push('')
  socket.resume()
  const unsent = clock.after(UNSENT_MS, destroy).unref()
  socket.end(() => {
    clock.cancel(unsent)
    clock.after(LINGER_MS, destroy).unref()
  })
}
