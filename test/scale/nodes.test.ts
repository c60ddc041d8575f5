/** Three service processes on one PostgreSQL and one Redis behave as one service, also while a part of it is gone. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runConformance, textReport } from '../../conformance/src/index.ts'
import type { Sums } from '../../src/store/ledger.ts'
import { BODY } from '../support/http.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { redisNeeded, startRedis, type TestRedis } from '../support/servers/redis.ts'
import { pets, type RunningService, startService } from '../support/service.ts'
import { oneOf, until } from '../support/until.ts'
import { type Answer, ask, assertWellFormed, questionsTo, startLoad } from './load.ts'

const needed = { skip: postgresNeeded.skip || redisNeeded.skip }

describe('three nodes', { concurrency: false, ...needed }, () => {
  let postgres: TestPostgres
  let redis: TestRedis
  let database: string
  let nodes: RunningService[]
  let plainNodes: RunningService[]

  before(async () => {
    ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
    database = await postgres.createDatabase()
    const start = (...args: string[]) => startService({ database, args })
    const counters = ['--counters', redis.url]
    nodes = await Promise.all([start(...counters), start(...counters), start(...counters)])
    plainNodes = await Promise.all([start(), start(), start()])
  })
  after(async () => {
    await Promise.all([...(nodes ?? []), ...(plainNodes ?? [])].map((node) => node.stop()))
    await Promise.all([postgres?.stop(), redis?.stop()])
  })

  const first = (): RunningService => nodes[0] as RunningService

  for (const [where, chosen] of [
    ['Redis', () => nodes],
    ['PostgreSQL', () => plainNodes],
  ] as const) {
    it(`admit exactly 60 a minute of a Free key with counters in ${where}, as the ledger confirms (R14-R16)`, (context) =>
      whileShared(context, chosen(), async () => {
        const { id, key } = await first().issueKey('free')
        // What follows falls into one window (O12).
        const leftMs = 60_000 - (Date.now() % 60_000)
        if (leftMs < 25_000) await sleep(leftMs + 100)
        const answers = (
          await Promise.all(
            chosen().map((node) => Promise.all(Array.from({ length: 60 }, () => ask(`${node.baseUrl}/pets`, key)))),
          )
        ).flat()
        for (const answer of answers) assertWellFormed(answer)
        assert.equal(answers.filter(({ status }) => status === 200).length, 60)
        assert.equal(answers.filter(({ status }) => status === 429).length, 120)
        await until('every node has saved its part of the ledger', async () => {
          const { stdout } = await pets(['usage', id, '--json', '--database', database])
          const lines = stdout.split('\n').filter((line) => line !== '')
          const sums = lines.map((line) => JSON.parse(line) as Sums)
          const sumOf = (name: keyof Sums) => sums.reduce((sum, line) => sum + line[name], 0)
          return sumOf('admitted') === 60 && sumOf('refusedByMinute') === 120
        })
      }))
  }

  it('the conformance kit finds nothing broken on a node, wherever it counts (R1-R18)', async () => {
    for (const node of [nodes[1], plainNodes[1]]) {
      const { key } = await first().issueKey()
      const report = await runConformance({ baseUrl: node?.baseUrl ?? '', key })
      // Incomplete and no more: without a key to be used up, the cases about 429 are not run.
      assert.equal(report.verdict, 'incomplete', textReport(report))
    }
  })

  /** Lists and creates on every node before, during and after what `happen` does, and how long it took to recover. */
  async function underLoad(happen: () => Promise<void>): Promise<{ answers: Answer[]; recoveredMs: number }> {
    const { key } = await first().issueKey()
    const load = startLoad(questionsTo(nodes, key))
    await until('load', () => load.answers.length > 200)
    await happen()
    const backMs = performance.now()
    await until(
      'recovery',
      () => load.answers.slice(-60).every(({ status }) => status < 300) && performance.now() - backMs > 300,
    )
    const recoveredMs = performance.now() - backMs
    const answers = await load.stop()
    for (const answer of answers) assertWellFormed(answer)
    return { answers, recoveredMs }
  }

  const slowestOf = (answers: readonly Answer[]) => Math.max(...answers.map(({ tookMs }) => tookMs))

  it('every response is a 503 within 2 s while PostgreSQL is frozen, and service resumes within 5 s (O23)', () =>
    oneOf(5, async () => {
      const { answers, recoveredMs } = await underLoad(async () => {
        postgres.freeze()
        await sleep(3_000)
        postgres.thaw()
      })
      assert.ok(answers.some(({ status }) => status === 503))
      for (const { status } of answers) assert.ok([200, 201, 503].includes(status), String(status))
      const slowest = slowestOf(answers)
      return slowest < 2_100 && recoveredMs < 5_000 ? undefined : `${slowest} ms, and ${recoveredMs} ms`
    }))

  it('no request fails or waits for long while Redis is killed and restarted', () =>
    // A machine that is busy for half a second has a node wait, or count by itself, without a reason of its own.
    oneOf(5, () =>
      whatElse(async () => {
        await redis.kill()
        await sleep(1_500)
        await redis.restart()
      }),
    ))

  /** What happens under load when Redis is gone for a moment, other than that each node counts by itself meanwhile. */
  async function whatElse(happen: () => Promise<void>): Promise<string | undefined> {
    const before = linesWith('the shared counters do not work')
    const { answers } = await underLoad(async () => {
      const happening = happen()
      await first().says(new RegExp(`(?:the shared counters do not work.*){${before + 1}}`, 's'))
      const ready = await fetch(`${first().operatorUrl}/readyz`)
      assert.equal(ready.status, 200)
      const text = await ready.text()
      await happening
      assert.match(text, /counts by itself|ready/)
    })
    await until(
      'the end',
      () => linesWith('counters are shared again') === linesWith('the shared counters do not work'),
    )
    const lines = linesWith('the shared counters do not work') - before
    const slowest = slowestOf(answers)
    const statuses = new Set(answers.map(({ status }) => status))
    const isServed = statuses.isSubsetOf(new Set([200, 201]))
    return isServed && slowest < 1_000 && lines === 1 ? undefined : `${[...statuses]}, ${slowest} ms, ${lines} lines`
  }

  function linesWith(message: string, node = first()): number {
    return node.output().split(message).length - 1
  }

  /** Repeats `work` if a node lost the shared counters: on a busy machine it might wait longer than 250 ms. */
  async function whileShared(
    context: TestContext,
    chosen: readonly RunningService[],
    work: () => Promise<void>,
  ): Promise<void> {
    const linesOf = (message: string) => chosen.reduce((lines, node) => lines + linesWith(message, node), 0)
    for (let attempt = 1; ; attempt += 1) {
      const before = linesOf('the shared counters do not work')
      try {
        return await work()
      } catch (error) {
        await sleep(100) // a line may come after the answer
        if (attempt === 10 || linesOf('the shared counters do not work') === before) throw error
        const areShared = () => linesOf('counters are shared again') === linesOf('the shared counters do not work')
        context.diagnostic('done again: a node was kept waiting for the shared counters, and counted by itself')
        await until('shared counters', areShared)
      }
    }
  }

  it('a frozen node holds nothing that the others need', async () => {
    const { key } = await first().issueKey()
    const [frozen, ...others] = nodes
    frozen?.process.kill('SIGSTOP')
    try {
      for (const { baseUrl } of others) {
        for (let n = 0; n < 10; n += 1) {
          assert.equal((await ask(`${baseUrl}/pets`, key, BODY)).status, 201)
        }
      }
    } finally {
      frozen?.process.kill('SIGCONT')
    }
    await until('the thawed node', async () => (await ask(`${frozen?.baseUrl}/pets`, key)).status === 200)
  })
})
