/** What others than the service answer, what never arrives whole, and what must not be added twice. */
import type { Call, ClientCase, Reply } from '../case.ts'
import {
  assertAsked,
  assertFailed,
  assertGaveUp,
  assertPaused,
  assertWaited,
  CREATE,
  CREATED,
  expect,
  GET,
  json,
  LIST,
  LISTED,
  PET,
  page,
  refusal,
  resultOf,
} from '../expect.ts'

const SLOW_MS = 2_000
const CUT: Reply = { status: 200, broken: 'cut' }

function once(id: string, what: string, call: Call, reply: Reply): Omit<ClientCase, 'section'> {
  return {
    id,
    title: `${what} is an error, and asked once`,
    cites: 'advice',
    async play(play) {
      play.answer(reply)
      const told = await play.ask(call)
      assertAsked(play, 1)
      assertFailed(told)
    },
  }
}

function noResult(id: string, what: string, reply: Reply): Omit<ClientCase, 'section'> {
  return {
    id,
    title: `${what} is no list: the call asks again or fails`,
    cites: 'R7',
    async play(play) {
      play.answer(reply)
      assertFailed(await play.ask(LIST))
    },
  }
}

function slow(id: string, what: string, call: Call, reply: Reply): Omit<ClientCase, 'section'> {
  return {
    id,
    title: `${what} that is answered after ${SLOW_MS / 1_000} s is waited for, and asked once`,
    cites: 'advice',
    async play(play) {
      play.answer({ ...reply, afterMs: SLOW_MS })
      resultOf(await play.ask(call))
      assertAsked(play, 1)
    },
  }
}

const LISTS: readonly Omit<ClientCase, 'section'>[] = [
  once('once-400', 'A list that is answered 400', LIST, refusal(400)),
  once('once-401', 'A list that is answered 401', LIST, refusal(401)),
  once('once-404', 'An animal that is not there', GET, refusal(404)),
  {
    id: 'gives-up-503',
    title: 'A call that is answered 503 again and again fails in the end',
    cites: 'advice',
    async play(play) {
      play.answer(refusal(503))
      assertGaveUp(play, await play.ask(LIST))
    },
  },
  {
    id: 'pause-503',
    title: 'A 503 without Retry-After is not answered by asking at once',
    cites: 'advice',
    async play(play) {
      play.answer(refusal(503), LISTED)
      await play.ask(LIST)
      if (play.requests.length > 1) assertPaused(play)
    },
  },
  {
    id: 'wait-503',
    title: 'The Retry-After of a 503 is waited for',
    cites: 'O23',
    async play(play) {
      play.answer(page(503, { 'Retry-After': '1' }), LISTED)
      await play.ask(LIST)
      if (play.requests.length > 1) assertWaited(play, 2, 1_000)
    },
  },
  noResult('page-200', 'The page of a proxy with status 200', page(200)),
  noResult('page-502', 'The page of a proxy with status 502', page(502)),
  noResult('empty-200', 'An empty answer with status 200', json(200, '')),
  noResult('object-200', 'An object with status 200', json(200, PET)),
  noResult('cut', 'A connection that ends without an answer', CUT),
  noResult('truncated', 'An answer that ends in the middle', { ...LISTED, broken: 'truncated' }),
  slow('slow-list', 'A list', LIST, LISTED),
]

const CREATIONS: readonly Omit<ClientCase, 'section'>[] = [
  once('create-400', 'An animal that is answered 400', CREATE, refusal(400)),
  once('create-500', 'An animal that is answered 500', CREATE, refusal(500)),
  once('create-502', 'An animal that is answered with the 502 page of a proxy', CREATE, page(502)),
  once('create-503', 'An animal that is answered 503', CREATE, refusal(503)),
  once('create-504', 'An animal that is answered with the 504 page of a proxy', CREATE, page(504)),
  once('create-cut', 'An animal whose connection ends without an answer', CREATE, CUT),
  once('create-truncated', 'An animal whose answer ends in the middle', CREATE, { ...CREATED, broken: 'truncated' }),
  slow('create-slow', 'An animal', CREATE, CREATED),
  {
    id: 'create-unknown',
    title: 'The error of an animal whose answer was lost says that it may have been added',
    cites: 'advice',
    async play(play) {
      play.answer(CUT)
      const { unknown } = await play.ask({ ...CREATE, name: 'Molly' })
      expect(unknown === true, '"unknown":true', 'an error like any other')
    },
  },
]

export const FAILURES: readonly ClientCase[] = [
  ...LISTS.map((each) => ({ ...each, section: 'Failures' }) as const),
  ...CREATIONS.map((each) => ({ ...each, section: 'Adding once' }) as const),
]
