/**
 * Logs failed sign-ins: the address, and the name if a person has it. A name that nobody has is not written, since it
 * may be a passphrase in the wrong field. So that guessing cannot fill the disk, the lines of a minute are bounded; the
 * next line says how many were left out.
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE_MS } from '../../common/clock.ts'

const LINES_A_MINUTE = 20

export function wrongPassphrases(clock: Clock, log: Logger): (name: string | undefined, ip: string) => void {
  let minute = Number.NaN
  let lines = 0
  let leftOut = 0
  return (name, client) => {
    const now = Math.floor(clock.now() / MINUTE_MS)
    if (now !== minute) [minute, lines] = [now, 0]
    if (lines >= LINES_A_MINUTE) {
      leftOut += 1
      return
    }
    lines += 1
    log.warn(
      { client, ...(name !== undefined && { name }), ...(leftOut > 0 && { leftOut }) },
      name === undefined ? 'a sign-in to the office with a name that nobody has' : 'a wrong passphrase in the office',
    )
    leftOut = 0
  }
}
