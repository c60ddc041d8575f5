/** The steps in which time passes or a process ends. */
import fc from 'fast-check'
import { purge } from '../../model/operator.ts'
import { assertSame, fraction, type History, pickOf, stepsOf } from '../history.ts'
import { Finding } from '../part.ts'
import type { Place } from '../place.ts'
import type { Shelter } from '../shelter.ts'
import { momentOf, noteSaved, type State } from '../state.ts'
import { ask } from './asks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const YEAR_MS = 400 * DAY_MS
/** Of a step back by more than a day, what was counted is dropped; these stay well below, together. */
const FARTHEST_BACK_MS = 20 * 3_600_000
/** R12. A step back over this instant is left out: windows and paths would be of two times. */
const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

const STEPS = {
  'a second': (nowMs: number) => nowMs + 1_000,
  'some ms': (nowMs: number) => nowMs + 7,
  'half a minute': (nowMs: number) => nowMs + 30_000,
  'the next minute': (nowMs: number) => nowMs - (nowMs % MINUTE_MS) + MINUTE_MS,
  'the last ms of the minute': (nowMs: number) => nowMs - (nowMs % MINUTE_MS) + MINUTE_MS - 1,
  'an hour': (nowMs: number) => nowMs + 3_600_000,
  'the last ms of the day': (nowMs: number) => nowMs - (nowMs % DAY_MS) + DAY_MS - 1,
  'the next day': (nowMs: number) => nowMs - (nowMs % DAY_MS) + DAY_MS,
  'a second back': (nowMs: number) => nowMs - 1_000,
  'two minutes back': (nowMs: number) => nowMs - 2 * MINUTE_MS,
  'five hours back': (nowMs: number) => nowMs - 5 * 3_600_000,
}

const clock = stepsOf({
  name: 'clock',
  weight: 12,
  draw: fc.record({ to: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])) }),
  async play(history, place: Shelter, { to }) {
    const nowMs = STEPS[to](place.clock.nowMs)
    const isBack = nowMs < place.clock.nowMs
    if (isBack && (nowMs < history.highestMs - FARTHEST_BACK_MS || history.highestMs >= REMOVAL_MS)) return
    setClock(history, place, nowMs, to)
  },
})

function setClock(history: History, { clock }: Shelter, nowMs: number, why: string): void {
  clock.nowMs = nowMs
  history.highestMs = Math.max(history.highestMs, nowMs)
  history.tell(`# the clock: ${new Date(nowMs).toISOString()} (${why})`)
}

/** A clock that is wrong for a while counts for nothing when it is right again. */
const wrongClock = stepsOf({
  name: 'clock ahead by a year',
  weight: 0.4,
  draw: fc.record({ key: fraction() }),
  can: ({ highestMs }) => highestMs + YEAR_MS < REMOVAL_MS,
  async play(history, place: Shelter, { key }) {
    const { nowMs } = place.clock
    const { highestMs } = history
    setClock(history, place, nowMs + YEAR_MS, 'wrong by a year')
    await ask(history, place, {
      method: 'GET',
      target: '/v1/pets',
      body: undefined,
      key: { of: 'in force', at: key },
      pick: 0,
      client: 0,
      times: 1,
    })
    setClock(history, place, nowMs, 'right again')
    history.highestMs = highestMs
  },
})

/** What the service goes on with: of each subject, what it had used at one moment. */
async function takeStored(state: State, place: Place): Promise<void> {
  const stored = await place.stored()
  if (stored === undefined) return
  for (const subject of new Set([...state.uses.keys(), ...stored.keys()])) {
    const use = momentOf(state, subject, stored.get(subject))
    if (use === undefined) {
      throw new Finding(`${subject} has never used what is stored: ${JSON.stringify(stored.get(subject))}`)
    }
    state.uses.set(subject, use)
  }
  state.moments.clear()
  // When keys were used last may have been in memory alone.
  for (const [id, key] of state.keys) state.keys.set(id, { ...key, usedAtMs: 'unknown' })
}

const backingUp = stepsOf({
  name: 'backup',
  weight: 0.12,
  draw: fc.constant({}),
  can: (history) => history.backups.length < 3,
  async play(history, place: Shelter) {
    const name = `b${history.next()}.db`
    history.tell(`pets backup ${name}`)
    const file = place.beside(name)
    await place.backUp(file)
    history.backups.push({ file, state: structuredClone(history.state) })
  },
})

const puttingBack = stepsOf({
  name: 'restore',
  weight: 0.3,
  draw: fc.record({ pick: fraction() }),
  can: (history) => history.backups.length > 0,
  async play(history, place: Shelter, { pick }) {
    const backup = pickOf(history.backups, pick)
    if (backup === undefined) return
    history.tell(`kill -s TERM %serve; wait; pets restore ${backup.file.replace(/^.*\//, '')}; pets serve &`)
    await place.putBack(backup.file)
    history.state = structuredClone(backup.state)
    await takeStored(history.state, place)
  },
})

/** Time passes while a machine sleeps. The service purges after an hour, and the ids stay assigned. */
const leaping = stepsOf({
  name: 'a leap of the clock',
  weight: 1,
  draw: fc.record({ hours: fc.constantFrom(1, 5, 24, 4 * 24, 29 * 24, 31 * 24) }),
  async play(history, place: Shelter, { hours }) {
    const ms = hours * HOUR_MS
    if (place.clock.nowMs + ms >= REMOVAL_MS && history.highestMs < REMOVAL_MS) return
    assertSame('whether the service has purged in an hour', await place.leap(ms), true)
    purge(history.state, place.clock.nowMs)
    setClock(history, place, place.clock.nowMs, `${hours} hours have passed`)
  },
})

export const endSteps = (weights: { readonly restart: number; readonly crash: number }) =>
  (['restart', 'crash'] as const).map((name) =>
    stepsOf({
      name,
      weight: weights[name],
      draw: fc.constant({}),
      async play(history, place: Place) {
        history.tell(`kill -s ${name === 'crash' ? 'KILL' : 'TERM'} %serve; wait; pets serve &`)
        await place[name]()
        if (name === 'crash') await takeStored(history.state, place)
        else noteSaved(history.state, place.nowMs())
      },
    }),
  )

export const timeSteps = [clock, wrongClock, leaping]
export const backupSteps = [backingUp, puttingBack]
