/** Histories on nodes of their own with PostgreSQL, with Redis or without. */
import fc from 'fast-check'
import { startPostgres } from '../support/servers/postgres.ts'
import { startRedis } from '../support/servers/redis.ts'
import { BODY_LIMIT, type Engine, type Plan, type Played, playAll, type Setting } from './histories.ts'
import { stepsOf } from './kinds.ts'
import { Nodes } from './nodes.ts'
import { edit, importing, removal, restoration, setStatus, undoing } from './steps/animal-steps.ts'
import { asking } from './steps/asking.ts'
import { issuing, revoking, rotating } from './steps/key-steps.ts'
import { everywhere } from './steps/time-steps.ts'

/** By the system's clock nothing is drawn that ends within the time that a command takes. */
const LONG_MS = 3_600_000

const onNodes: Engine<Nodes>['kinds'] = [
  ...asking,
  stepsOf(setStatus),
  stepsOf(edit),
  stepsOf(removal),
  stepsOf(restoration),
  stepsOf(importing),
  stepsOf(undoing),
  stepsOf({ ...issuing, draw: issuing.draw.filter(({ lastsMs = LONG_MS }) => lastsMs >= LONG_MS) }),
  stepsOf({ ...rotating, draw: rotating.draw.filter(({ overlapS }) => overlapS === 0 || overlapS * 1_000 >= LONG_MS) }),
  stepsOf(revoking),
  ...everywhere.map((kind) => stepsOf(kind)),
]

/** On one PostgreSQL: one node, or with Redis two. Each history has a database and a Redis of its own. */
export async function playOnNodes(plan: Plan, engine: 'postgres' | 'cluster'): Promise<Played> {
  await using servers = new AsyncDisposableStack()
  const postgres = await startPostgres()
  servers.defer(() => postgres.stop())
  const settings = fc.record({
    startMs: fc.constant(0).map(() => Date.now()),
    anonymousPerMinute: fc.constantFrom(2, 5, 60),
    ban: fc.constantFrom(undefined, { refusals: 3, withinMs: 60_000, forMs: 4_000 }),
  })
  const open = async ({ anonymousPerMinute, ban }: Setting) =>
    Nodes.open({
      database: await postgres.createDatabase(),
      redis: engine === 'cluster' ? await startRedis() : undefined,
      nodes: engine === 'cluster' ? 2 : 1,
      args: [
        '--anonymous-per-minute',
        `${anonymousPerMinute}`,
        '--body-limit',
        `${BODY_LIMIT}`,
        ...(ban === undefined ? [] : ['--ban-after', `${ban.refusals}`]),
        ...(ban === undefined ? [] : ['--ban-window', `${ban.withinMs / 1_000}`, '--ban-for', `${ban.forMs / 1_000}`]),
      ],
    })
  return await playAll(plan, { kinds: onNodes, settings, open })
}
