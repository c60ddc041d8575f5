/** After a 429 a client waits, alone and longer each time, and gives up in the end (R16, R17). */
import type { Call, ClientCase, Play, Reply } from '../case.ts'
import {
  assertGaveUp,
  assertPaused,
  assertWaited,
  CREATE,
  CREATED,
  expect,
  FOUND,
  GET,
  gapMs,
  LIST,
  LISTED,
  MOST_REQUESTS,
  page,
  refusal,
  resultOf,
} from '../expect.ts'

const wait = (seconds: number | string): Reply => refusal(429, { 'Retry-After': String(seconds) })
const untold = refusal(429)
const TOGETHER = 6

/** Plays the replies to one call, which has to succeed. */
async function succeed(play: Play, call: Call, ...replies: readonly Reply[]): Promise<void> {
  play.answer(...replies)
  resultOf(await play.ask(call))
}

function waits(id: string, what: string, call: Call, success: Reply, seconds = 1): Omit<ClientCase, 'section'> {
  return {
    id,
    title: `${what} waits for Retry-After and then asks again`,
    cites: 'R16',
    async play(play) {
      await succeed(play, call, wait(seconds), success)
      assertWaited(play, 2, seconds * 1_000)
    },
  }
}

/** The waits of two clients of one kind after two 429 that say nothing. */
async function untoldGaps(play: Play): Promise<readonly (readonly [number, number])[]> {
  const gaps: [number, number][] = []
  for (const number of [0, 1]) {
    const before = play.requests.length
    play.script((_seen, count) => (count <= before + 2 ? untold : LISTED))
    resultOf(await play.ask(LIST, number))
    gaps.push([gapMs(play, before + 2), gapMs(play, before + 3)])
  }
  return gaps
}

const PLAIN: readonly Omit<ClientCase, 'section'>[] = [
  waits('wait-list', 'A list that is refused', { call: 'list', status: 'available' }, LISTED),
  waits('wait-create', 'An animal that is refused', CREATE, CREATED),
  waits('wait-get', 'One animal by its id', GET, FOUND),
  waits('wait-longer', 'A wait of two seconds is not cut: the client', { call: 'list' }, LISTED, 2),
  {
    id: 'wait-each-time',
    title: 'The Retry-After of a second refusal is waited for as that of the first',
    cites: 'R16',
    async play(play) {
      await succeed(play, LIST, wait(1), wait(1), LISTED)
      assertWaited(play, 3, 1_000)
    },
  },
  {
    id: 'wait-date',
    title: 'Retry-After may be a date, by the clock of the service',
    cites: 'R16',
    async play(play) {
      const atMs = Math.ceil(play.clock.now() / 1_000) * 1_000 + 1_000
      const date = (ms: number) => new Date(ms).toUTCString()
      const headers = { Date: date(play.clock.now()), 'Retry-After': date(atMs) }
      await succeed(play, LIST, refusal(429, headers), LISTED)
      assertWaited(play, 2, atMs - (play.requests[0]?.answeredMs ?? 0))
    },
  },
  {
    id: 'wait-page',
    title: 'A 429 with the page of a proxy is waited for as any other',
    cites: 'R16',
    async play(play) {
      play.answer(page(429, { 'Retry-After': '1' }), LISTED)
      await play.ask(LIST)
      if (play.requests.length > 1) assertWaited(play, 2, 1_000)
    },
  },
  {
    id: 'wait-long',
    title: 'A wait of an hour is not shortened; the call may fail instead',
    cites: 'R16',
    async play(play) {
      play.answer(wait(3_600), LISTED)
      await Promise.race([play.ask(LIST), play.wait(3_000)])
      expect(
        play.requests.length === 1,
        'no second request for an hour',
        `one after ${play.requests.length > 1 ? gapMs(play, 2).toFixed(0) : ''} ms`,
      )
    },
  },
]

const SHARED: readonly Omit<ClientCase, 'section'>[] = [
  {
    id: 'wait-others',
    title: 'After a refusal other calls of the client wait as well',
    cites: 'R17',
    async play(play) {
      let came = () => {}
      const refused = new Promise<void>((resolve) => {
        came = resolve
      })
      play.script((_seen, number) => {
        came()
        return number === 1 ? wait(1) : LISTED
      })
      const first = play.ask(LIST)
      await Promise.race([refused, first])
      await play.wait(100)
      await Promise.all([first, play.ask(GET)])
      const [first429, ...others] = play.requests
      const earliest = Math.min(...others.map(({ atMs }) => atMs)) - (first429?.answeredMs ?? 0)
      expect(earliest >= 970, 'no request of the key for 1000 ms', `one after ${earliest.toFixed(0)} ms`)
    },
  },
  {
    id: 'wave',
    title: 'Calls that were refused together do not come back in one wave',
    cites: 'R17',
    async play(play) {
      let refused = 0
      const arrived: number[] = []
      let firstAnsweredMs = Number.POSITIVE_INFINITY
      play.script((seen) => {
        if (arrived.length === 0 && refused < TOGETHER && seen.atMs < (play.requests[0]?.atMs ?? 0) + 900) {
          refused += 1
          return { ...wait(1), afterMs: 100 }
        }
        if (arrived.length === 0) firstAnsweredMs = seen.atMs + 200
        arrived.push(seen.atMs)
        return { ...LISTED, afterMs: 200 }
      })
      await Promise.all(Array.from({ length: TOGETHER }, () => play.ask(LIST)))
      const wave = arrived.filter((atMs) => atMs < firstAnsweredMs).length
      expect(wave <= TOGETHER / 2, 'few requests before the first answer', `${wave} of ${TOGETHER} at once`)
    },
  },
]

const UNTOLD: readonly Omit<ClientCase, 'section'>[] = [
  {
    id: 'untold',
    title: 'A refusal without Retry-After is not answered by asking at once',
    cites: 'R17',
    async play(play) {
      await succeed(play, LIST, untold, LISTED)
      assertPaused(play)
    },
  },
  {
    id: 'untold-unreadable',
    title: 'Nor is one whose Retry-After cannot be read',
    cites: 'R17',
    async play(play) {
      await succeed(play, LIST, wait('soon'), LISTED)
      assertPaused(play)
    },
  },
  {
    id: 'untold-zero',
    title: 'Nor one with a Retry-After of 0',
    cites: 'advice',
    async play(play) {
      await succeed(play, LIST, wait(0), LISTED)
      assertPaused(play)
    },
  },
  {
    id: 'grows',
    title: 'Waits that nobody asked for grow with each failure',
    cites: 'R17',
    async play(play) {
      const gaps = await untoldGaps(play)
      const [first, second] = [0, 1].map((at) => gaps.reduce((sum, gap) => sum + (gap[at] ?? 0), 0))
      expect((second ?? 0) > (first ?? 0) * 1.2, 'a second wait longer than the first', `${gaps.join(' and ')} ms`)
    },
  },
  {
    id: 'random',
    title: 'Waits that nobody asked for have a random part, so that clients do not come together',
    cites: 'advice',
    async play(play) {
      const [one = [], other = []] = await untoldGaps(play)
      const differ = one.some((gap, at) => Math.abs(gap - (other[at] ?? 0)) > 5)
      expect(differ, 'other waits of another client', `${one} and ${other} ms`)
    },
  },
  {
    id: 'gives-up',
    title: 'A call that is refused again and again fails in the end',
    cites: 'R17',
    async play(play) {
      play.answer(wait(1))
      assertGaveUp(play, await play.ask(GET))
    },
  },
  {
    id: 'says-refused',
    title: 'The error of a call that was refused says so',
    cites: 'advice',
    async play(play) {
      play.answer(wait(1))
      const { error = '' } = await play.ask(LIST)
      expect(
        play.requests.length >= MOST_REQUESTS || /429|scripted|limit|refused/i.test(error),
        'the status or the message of the service',
        `"${error}"`,
      )
    },
  },
]

export const REFUSALS: readonly ClientCase[] = [...PLAIN, ...SHARED, ...UNTOLD].map((each) => ({
  ...each,
  section: 'After a refusal',
}))
