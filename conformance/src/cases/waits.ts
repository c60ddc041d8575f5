/** Section 8, over the limit: what is said of the wait, held against what happens when it is waited. */

import { inSection } from '../case.ts'
import { briefList, describesBlocking, drain, readLimits } from '../drain.ts'
import { header } from '../http/answer.ts'
import { msToReset } from '../http/limit-headers.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { Exchange } from '../http/transport.ts'
import type { Kit } from '../kit.ts'
import { LONGEST_WAIT_MS } from '../pacing.ts'
import { NotRun, Violation } from '../verdicts.ts'

/** A Reset has whole seconds, and may be that much before the time it stands for. */
const SECOND_MS = 1_000

/**
 * A refusal, and the first answer after the wait that it told: that of Retry-After to the millisecond, or of its Reset
 * where that comes before. Throws NotRun when that is too far ahead.
 */
async function waitedOut(kit: Kit): Promise<{ refusal: Exchange; isByReset: boolean; exchange: Exchange }> {
  const { refusal } = await kit.once(drain)
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
  if (refusal.answer.status !== 429 || waitMs === undefined)
    throw new NotRun('the 429 does not say when the key is served again')
  const toResetMs = msToReset(refusal) ?? Infinity
  const isByReset = describesBlocking(refusal) && toResetMs > 0 && toResetMs + SECOND_MS < waitMs
  if (isByReset) await waitForReset(kit, refusal)
  else await waitAtMost(kit, refusal.atMs + waitMs - kit.clock(), 'Retry-After')
  return { refusal, isByReset, exchange: await kit.send(briefList) }
}

/** The first answer after the reset; after the wait, where the headers describe another window than what blocked. */
async function afterReset(kit: Kit): Promise<Exchange> {
  const { refusal, exchange } = await kit.once(waitedOut)
  if (!describesBlocking(refusal)) return exchange
  const resetMs = refusal.atMs + (msToReset(refusal) ?? 0)
  if (kit.clock() >= resetMs) return exchange
  await waitForReset(kit, refusal)
  return kit.send(briefList)
}

async function waitForReset(kit: Kit, exchange: Exchange): Promise<void> {
  const toResetMs = msToReset(exchange)
  if (toResetMs === undefined) throw new NotRun('the answer does not say when the limit resets')
  await waitAtMost(kit, exchange.atMs + toResetMs - kit.clock() + SECOND_MS, 'The reset')
}

async function waitAtMost(kit: Kit, ms: number, what: string): Promise<void> {
  if (ms > LONGEST_WAIT_MS) throw new NotRun(`${what} lies ${Math.round(ms / 1000)} s ahead, too far to wait for`)
  await kit.wait(ms)
}

/** What is said of one window cannot be held against another, and which one is described is open (O11). */
const OTHER_WINDOW = 'The first answer after the wait: of another window than that which blocked.'
const RESET_EXPECTED = 'the limit reset at the time that X-RateLimit-Reset said'

export const waitCases = inSection(
  '8 Over the limit',
  [
    {
      id: 'retry-after-suffices',
      title: 'After just the wait that Retry-After tells, the next request is served',
      cites: ['R16', 'R15'],
      since: '1.1',
      needs: ['limited key'],
      restsOn: ['retry-after', 'retry-after-is-a-wait', 'over-limit-headers'],
      run: async (kit) => {
        const { refusal, isByReset, exchange } = await kit.once(waitedOut)
        const isServed = exchange.answer.status !== 429
        const told = header(refusal.answer, 'Retry-After')
        if (isServed) return isByReset ? `Served at the reset, before the Retry-After of ${told} was over.` : undefined
        // An earlier Reset was waited for first: the limit resets then, whatever the wait.
        if (isByReset) throw new Violation('R15', exchange, RESET_EXPECTED, 'status 429 once more')
        const expected = `the key served again after ${told}, the Retry-After of the 429 before`
        throw new Violation('R16', exchange, expected, 'status 429 once more')
      },
    },
    {
      id: 'over-limit-reset',
      title: 'After the reset the key is served again',
      cites: ['R15', 'R16', 'O13'],
      needs: ['limited key'],
      restsOn: ['retry-after-suffices', 'over-limit-headers'],
      run: async (kit) => {
        const exchange = await kit.once(afterReset)
        if (exchange.answer.status === 429) throw new Violation('R15', exchange, RESET_EXPECTED, 'status 429 once more')
        const said = readLimits(exchange)
        return said === undefined
          ? undefined
          : `First answer after the reset: ${said.remaining} of ${said.limit} remaining.`
      },
    },
    {
      id: 'limit-is-served',
      title: 'In a new window as much remains as X-RateLimit-Limit says, less what was asked since',
      cites: ['R15'],
      since: '1.1',
      needs: ['limited key'],
      restsOn: ['over-limit-reset', 'remaining-is-served'],
      run: async (kit) => {
        const { refusal } = await kit.once(waitedOut)
        let exchange = await kit.once(afterReset)
        for (let attempt = 0; ; attempt += 1) {
          const said = readLimits(exchange)
          if (said === undefined) throw new NotRun('an answer does not carry the three limit headers')
          const before = readLimits(refusal)
          if (!describesBlocking(refusal) || said.limit !== before?.limit) return OTHER_WINDOW
          if (said.remaining >= said.limit - 1) return
          const came = `${said.remaining} after the first request`
          const cause = { cause: 'the limit is not what is served' }
          if (attempt === 1)
            throw new Violation(
              'R15',
              exchange,
              `${said.limit - 1} remaining of the ${said.limit} in force`,
              came,
              cause,
            )
          // A whole window without a request, for an allowance may also come back little by little.
          await waitForReset(kit, exchange)
          exchange = await kit.send(briefList)
        }
      },
    },
  ],
  { restsOn: ['over-limit-429'] },
)
