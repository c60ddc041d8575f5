/** The steps that ask over HTTP. */

import type fc from 'fast-check'
import { readRequest } from '../../model/request.ts'
import { hold, type Instant } from '../held.ts'
import { Finding, type History } from '../history.ts'
import { type Kind, type Step, stepsOf } from '../kinds.ts'
import type { Place } from '../place.ts'
import { type Ask, asks, bytesOf, CLIENTS, lineOf } from './asks.ts'

export const asking: readonly fc.WeightedArbitrary<Step<Place>>[] = asks.map(({ weight, arbitrary }) =>
  stepsOf({ name: 'ask', weight, draw: arbitrary, play: ask } satisfies Kind<Ask, Place>),
)

/** Sends a request, or several of one kind, and holds each answer to the model. */
export async function ask(history: History, place: Place, ask: Ask): Promise<void> {
  const fromMs = place.nowMs()
  history.tell(lineOf(ask, history.state, fromMs))
  const bytes = bytesOf(ask, history.state, fromMs)
  const reading = readRequest(bytes)
  if (reading.kind === 'incomplete') throw new Error('a request of a history is whole')
  // The parser knows no header of what it refuses, so this counts for the peer.
  const address = reading.kind === 'refused' ? '127.0.0.1' : (CLIENTS[ask.client]?.address ?? '127.0.0.1')
  const answers = await place.ask(bytes.repeat(ask.times), new Array<string>(ask.times).fill(ask.method))
  const instants = instantsOf(history, fromMs, place.nowMs())
  for (const answer of answers) {
    const wrong = hold(history.state, history.settings, { reading, address }, answer, instants)
    if (wrong !== undefined) throw new Finding(wrong)
  }
  const ended = answers.at(-1)?.headers.get('connection') === 'close'
  if (answers.length < ask.times && !ended) throw new Finding(`${answers.length} answers to ${ask.times} requests`)
}

/**
 * Where the clock goes on meanwhile, the answer may be that of each second; and where nodes know keys for a while, of
 * then.
 */
function instantsOf({ state, earlierKeys }: History, fromMs: number, toMs: number): Instant[] {
  const times = [fromMs]
  for (let atMs = fromMs - (fromMs % 1_000) + 1_000; atMs < toMs; atMs += 1_000) times.push(atMs)
  if (toMs > fromMs) times.push(toMs)
  const kept = earlierKeys.filter(({ untilMs }) => fromMs < untilMs)
  const states = [state, ...kept.map(({ key }) => ({ ...state, keys: new Map(state.keys).set(key.id, key) }))]
  return states.flatMap((state) => times.map((nowMs) => ({ nowMs, state })))
}
