/**
 * One connection as the fuzzer plays it: requests in sequence, cut into pieces anywhere, interrupted or corrupted
 * anywhere, and closed properly or not. A connection is plain data, so that it can be printed, saved and replayed.
 */
import fc from 'fast-check'
import { operatorRequest } from './operator-requests.ts'
import { NAME, type Planned, publicRequest } from './requests.ts'

export interface Connection {
  readonly port: 'public' | 'operator'
  readonly requests: readonly Planned[]
  /** What is sent, one character per byte, and how long to wait after each piece, in milliseconds. */
  readonly pieces: readonly { readonly send: string; readonly pauseMs: number }[]
  /** The number of requests sent completely and unchanged; only their responses are known. */
  readonly known: number
  /** A byte was changed: the number of responses after the known ones is unknown. */
  readonly spoiled: boolean
  /** `read`: until all answers are there; `finish`: closes its own side, and reads until the other side does. */
  readonly end: 'read' | 'finish' | 'reset' | 'leave'
  /**
   * For a reset or leaving: how long after the last piece, in milliseconds, and whether anything was read until then.
   */
  readonly endAfterMs: number
  readonly reads: boolean
}

const MAX_REQUESTS = 6

/** A part of all bytes. */
const part = fc.integer({ min: 0, max: 9_999 }).map((n) => n / 10_000)
const never = fc.constant(undefined)

const rest = {
  /** Where the pieces begin, and how long to wait before each. */
  cuts: fc.array(fc.tuple(part, fc.constantFrom(0, 0, 1, 5)), { maxLength: 4 }),
  brokenOff: fc.oneof({ weight: 4, arbitrary: never }, { weight: 1, arbitrary: part }),
  spoiled: fc.oneof(
    { weight: 5, arbitrary: never },
    {
      weight: 1,
      arbitrary: fc.record({
        at: part,
        byte: fc.integer({ min: 0, max: 255 }),
        how: fc.constantFrom('change', 'insert', 'drop'),
      }),
    },
  ),
  end: fc.constantFrom<Connection['end'][]>('read', 'read', 'finish', 'reset', 'leave'),
  endAfterMs: fc.constantFrom(0, 0, 2, 20, 100),
  reads: fc.boolean(),
}

export const connection: fc.Arbitrary<Connection> = fc.oneof(
  { weight: 5, arbitrary: plan('public', publicRequest) },
  { weight: 1, arbitrary: plan('operator', operatorRequest) },
)

function plan(port: Connection['port'], request: fc.Arbitrary<Planned>): fc.Arbitrary<Connection> {
  return fc
    .record({ requests: fc.array(request, { minLength: 1, maxLength: MAX_REQUESTS }), ...rest })
    .map(({ requests, cuts, brokenOff, spoiled, end, endAfterMs, reads }) => {
      const named = requests.map((one, index) => ({ ...one, bytes: one.bytes.replaceAll(NAME, `{NAME${index}}`) }))
      const whole = named.map(({ bytes }) => bytes).join('')
      const spoiledAt = spoiled && Math.floor(spoiled.at * whole.length)
      const text = spoiled && spoiledAt !== undefined ? spoil(whole, spoiledAt, spoiled) : whole
      const length = brokenOff === undefined ? text.length : Math.floor(brokenOff * text.length)
      const isRead = end === 'read' || end === 'finish'
      // Nobody knows when the answers of these are complete.
      const isOpenEnded = ({ endless, closes }: Planned) => endless || (port === 'operator' && closes === 'breaks')
      const mustLeave = isRead && named.some(isOpenEnded)
      return {
        port,
        requests: named,
        pieces: split(text.slice(0, length), cuts),
        known: countWhole(named, Math.min(length, spoiledAt ?? length)),
        spoiled: spoiledAt !== undefined && spoiledAt < length,
        end: mustLeave ? 'leave' : end,
        endAfterMs,
        reads: isRead || reads,
      }
    })
}

function spoil(text: string, at: number, { byte, how }: { byte: number; how: string }): string {
  return (
    text.slice(0, at) + (how === 'drop' ? '' : String.fromCharCode(byte)) + text.slice(how === 'insert' ? at : at + 1)
  )
}

function split(text: string, cuts: readonly (readonly [number, number])[]): Connection['pieces'] {
  // Not inside a placeholder, which is one with its braces.
  const outside = (at: number) => at - (/\{[A-Z]*\d?$/.exec(text.slice(Math.max(0, at - 10), at))?.[0].length ?? 0)
  const at = cuts
    .map(([part, pauseMs]) => ({ at: outside(Math.floor(part * text.length)), pauseMs }))
    .sort((a, b) => a.at - b.at)
  const starts = [{ at: 0, pauseMs: 0 }, ...at]
  return starts.map(({ at, pauseMs }, index) => ({ send: text.slice(at, starts[index + 1]?.at), pauseMs }))
}

/** How many requests end within the first `length` bytes. */
function countWhole(requests: readonly Planned[], length: number): number {
  let end = 0
  return requests.filter(({ bytes }) => {
    end += bytes.length
    return end <= length
  }).length
}
