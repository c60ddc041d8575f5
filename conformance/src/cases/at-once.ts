/**
 * Requests at once: what a program does right one by one it may do wrong for several. They come after what waits for
 * the limited key, for their refusals may bring a ban (R17).
 */
import { inSection } from '../case.ts'
import { briefList, describesBlocking, drain, overLimit, readLimits } from '../drain.ts'
import { expectLimitHeaders, expectPet, expectStatus } from '../expect.ts'
import { createdAtOnce, fillerName } from '../fixtures.ts'
import { type HttpRequest, LIMITED_KEY, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import type { Kit } from '../kit.ts'
import { Violation } from '../verdicts.ts'

const SINCE = '1.3'
/** What is left of the limited key when the rest is asked for at once, and how many more are asked for than that. */
const LEFT = 2
const TOO_MANY = 6
/** A key with more left than this is not brought down to that. */
const MOST_REQUESTS = 1_000
const AT_ONCE = 16

/** More requests at once than what is left of the limited key, and how many were left. */
async function burst(kit: Kit): Promise<{ left: number; answers: readonly Exchange[]; elapsedMs: number }> {
  const { refusal } = await kit.once(drain)
  if (!describesBlocking(refusal))
    throw new NotShown('the limit headers describe another window than that which blocks')
  let latest = readLimits(await kit.send(briefList))
  for (;;) {
    if (latest === undefined || latest.remaining === 0) throw new NotShown('nothing is left of the limited key')
    if (latest.remaining > MOST_REQUESTS) throw new NotShown(`${latest.remaining} requests are left of the limited key`)
    if (latest.remaining <= LEFT) break
    const count = Math.min(AT_ONCE, latest.remaining - LEFT)
    const answers = await Promise.all(Array.from({ length: count }, () => kit.send(briefList)))
    const said = answers.map((exchange) => readLimits(exchange)).filter((each) => each !== undefined)
    const before = latest.remaining
    latest = said.sort((a, b) => a.remaining - b.remaining)[0]
    if (latest !== undefined && latest.remaining >= before) throw new NotShown('what remains does not fall')
  }
  const { remaining: left, resetS } = latest
  const sinceMs = kit.clock()
  const answers = await Promise.all(Array.from({ length: left + TOO_MANY }, () => kit.send(briefList)))
  if (
    answers.some((exchange) => (readLimits(exchange)?.resetS ?? resetS) > resetS + 1 && exchange.answer.status === 200)
  )
    throw new NotShown('the window ended meanwhile')
  return { left, answers, elapsedMs: kit.clock() - sinceMs }
}

/** What could not be looked at here need not be: it is told, and no requirement is left open by it. */
class NotShown extends Error {}

async function lookedAt(
  kit: Kit,
  look: (seen: Awaited<ReturnType<typeof burst>>) => void,
): Promise<string | undefined> {
  try {
    look(await kit.once(burst))
    return undefined
  } catch (error) {
    if (error instanceof NotShown) return `Several requests at the limit at once: not looked at, ${error.message}.`
    throw error
  }
}

/** Other ways to write the same credential. Whether they are taken is open; if they are, they are the same key. */
const SPELLINGS: readonly HttpRequest[] = [
  { authorization: `Bearer ${LIMITED_KEY}` },
  { Authorization: `bearer ${LIMITED_KEY}` },
  { Authorization: `Bearer  ${LIMITED_KEY}` },
  { Authorization: `BEARER ${LIMITED_KEY} ` },
].map((headers) => listPets('?limit=1', headers))

export const atOnceCases = inSection(
  '8 Over the limit',
  [
    {
      id: 'over-limit-at-once',
      title: 'Of several requests at once no more are served than remain',
      cites: ['R16', 'R15'],
      since: SINCE,
      needs: ['limited key'],
      restsOn: ['limit-is-served', 'remaining-is-served', 'over-limit-reset', 'remaining-falls'],
      run: (kit) =>
        lookedAt(kit, ({ left, answers, elapsedMs }) => {
          const served = answers.filter(({ answer }) => answer.status === 200)
          // An allowance may come back little by little meanwhile.
          const most = left + 1 + Math.ceil((elapsedMs / 1000) * ((readLimits(served[0])?.limit ?? 0) / 10))
          if (served[most] === undefined) return
          const expected = `${left} of ${answers.length} requests at once served, for ${left} remained`
          throw new Violation('R16', served[most], expected, `${served.length} served`)
        }),
    },
    {
      id: 'at-once-headers',
      title: 'Each of several answers at once carries the limit headers, and is a list or a 429',
      cites: ['R15', 'R16'],
      since: SINCE,
      needs: ['limited key'],
      restsOn: ['over-limit-headers', 'headers-200-list', 'remaining-falls', 'over-limit-at-once'],
      run: (kit) =>
        lookedAt(kit, ({ answers }) => {
          for (const exchange of answers) {
            expectStatus(exchange, 'R16', 429, 200)
            expectLimitHeaders(exchange)
          }
        }),
    },
    {
      id: 'over-limit-spelling',
      title: 'Over the limit the key is refused however its header is written',
      cites: ['R16'],
      since: SINCE,
      needs: ['limited key'],
      restsOn: ['over-limit-reset', 'auth-list-without-key'],
      run: async (kit) => {
        for (const request of SPELLINGS) expectStatus(await overLimit(kit, request), 'R16', 429, 401, 400)
      },
    },
  ],
  { restsOn: ['over-limit-429'] },
)

export const createdAtOnceCases = inSection('4.2 Add an animal', [
  {
    id: 'create-at-once-as-sent',
    title: 'Animals that are created at once come back each with its own name',
    cites: ['R9'],
    since: SINCE,
    needs: ['thorough'],
    restsOn: ['ids-unique-at-once', 'create-as-sent'],
    run: async (kit) => {
      for (const [i, exchange] of (await kit.once(createdAtOnce)).entries()) {
        expectStatus(exchange, 'R9', 201)
        const { name } = expectPet(exchange)
        if (name !== fillerName(kit, i))
          throw new Violation('R9', exchange, `name ${fillerName(kit, i)}`, `name ${name}`)
      }
    },
  },
])
