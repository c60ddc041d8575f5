/** The steps of the operator on keys. */
import fc from 'fast-check'
import type { Plan } from '../../../src/contract/plans.ts'
import { AlreadyRotated, issueKey, rotateKey } from '../../../src/domain/keys.ts'
import { issue, mayRotate, PLANS, revoke, rotate } from '../../model/operator.ts'
import { assertSame, by, fraction, type History, pickOf, stepsOf } from '../history.ts'
import { authorOf, type By, type Place } from '../place.ts'

const PLAN_NAMES = Object.keys(PLANS) as (keyof typeof PLANS)[]
const CUSTOM = [
  { perMinute: 3, perDay: 10 },
  { perMinute: 5, perDay: 1_000 },
  { perMinute: 40, perDay: 7 },
  { perMinute: 10, perDay: 10 },
  { perMinute: 20, perDay: 60 },
  { perMinute: 1_000, perDay: 100_000 },
  { perMinute: 100_000, perDay: 1_000_000 },
]
const LASTS_MS = [undefined, undefined, undefined, 1_500, 90_000, 3_600_000, 100_000_000]

interface Issue {
  readonly by: By
  readonly plan: Plan
  readonly custom: { readonly perMinute: number; readonly perDay: number }
  readonly lastsMs: number | undefined
}

/** Of keys and overlaps that last at least so long. */
const issuing = (leastMs: number) =>
  stepsOf({
    name: 'keys create',
    weight: 3,
    draw: fc.record({
      by: by(),
      plan: fc.oneof(
        { weight: 4, arbitrary: fc.constant('enterprise' as const) },
        { weight: 2, arbitrary: fc.constantFrom(...PLAN_NAMES) },
      ),
      custom: fc.constantFrom(...CUSTOM),
      lastsMs: fc.constantFrom(...LASTS_MS).filter((ms = leastMs) => ms >= leastMs),
    }),
    play: issueOne,
  })

export async function issueOne(history: History, place: Place, { by, plan, custom, lastsMs }: Issue): Promise<void> {
  const expiresAtMs = lastsMs === undefined ? undefined : place.nowMs() + lastsMs
  const label = `key ${history.next()}`
  const allowance = plan === 'enterprise' ? custom : PLANS[plan]
  const own = plan === 'enterprise' ? ` --per-minute ${custom.perMinute} --per-day ${custom.perDay}` : ''
  const expires = expiresAtMs === undefined ? '' : ` --expires ${new Date(expiresAtMs).toISOString()}`
  const line = `pets keys create --plan ${plan}${own} --label '${label}'${expires}`
  history.tell(`KEY${history.state.keys.size + 1}=$(${line})`)
  const request = { plan, custom: plan === 'enterprise' ? custom : undefined, label, expiresAtMs }
  const { key, secret } = await issueKey(await place.operator(by), request)
  const times = { createdAtMs: place.nowMs(), expiresAtMs, revokedAtMs: undefined, usedAtMs: undefined }
  issue(history.state, { id: key.id, lineage: key.id, secret, plan, ...allowance, label, ...times })
}

const rotating = (leastMs: number) =>
  stepsOf({
    name: 'keys rotate',
    weight: 2,
    draw: fc.record({
      by: by(),
      pick: fraction(),
      overlapS: fc.constantFrom(0, 1, 45, 3_600, 200_000).filter((s) => s === 0 || s * 1_000 >= leastMs),
      again: fc.boolean(),
    }),
    can: (history) => history.state.keys.size > 0,
    async play(history, place: Place, { by, pick, overlapS, again }) {
      const { state } = history
      const id = pickOf([...state.keys.keys()], pick) ?? ''
      const line = `pets keys rotate <id of KEY${history.numberOfKey(id)}> --overlap ${overlapS}${again ? ' --again' : ''}`
      const before = state.keys.get(id)
      const may = mayRotate(state, id, again, place.nowMs())
      history.tell(may ? `KEY${state.keys.size + 1}=$(${line})` : line)
      const overlapMs = overlapS * 1_000
      const made = await rotateKey(await place.operator(by), id, { overlapMs, again }).catch((error: unknown) => {
        if (!(error instanceof RangeError || error instanceof AlreadyRotated)) throw error
      })
      history.noteEarlier(before, place)
      assertSame('whether the key was replaced', made !== undefined, may)
      if (made) rotate(state, id, { id: made.key.id, secret: made.secret }, overlapMs, place.nowMs())
    },
  })

const revoking = stepsOf({
  name: 'keys revoke',
  weight: 0.6,
  draw: fc.record({ by: by(), pick: fraction() }),
  can: (history) => history.state.keys.size > 0,
  async play(history, place: Place, { by, pick }) {
    const id = pickOf([...history.state.keys.keys()], pick) ?? ''
    history.tell(`pets keys revoke <id of KEY${history.numberOfKey(id)}>`)
    const before = history.state.keys.get(id)
    const operator = await place.operator(by)
    const isDone = await operator.store.keys.revoke(id, authorOf(operator))
    history.noteEarlier(before, place)
    assertSame('whether there is such a key', isDone, revoke(history.state, id, place.nowMs()))
  },
})

export const keySteps = (leastMs = 0) => [issuing(leastMs), rotating(leastMs), revoking]
