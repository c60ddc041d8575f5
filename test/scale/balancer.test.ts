/** The real nginx with the configuration of deploy/, before three service processes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nginxNeeded, startNginx, type TestNginx } from '../deploy/nginx.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { ask, assertWellFormed, startLoad } from './load.ts'

const needed = { skip: nginxNeeded.skip || postgresNeeded.skip }

describe('behind nginx', { concurrency: false, ...needed }, () => {
  let postgres: TestPostgres
  let nodes: RunningService[]
  let url: string
  let nginx: TestNginx

  before(async () => {
    postgres = await startPostgres()
    const database = await postgres.createDatabase()
    const start = () => startService({ database, args: ['--trust-proxy', '127.0.0.1'] })
    nodes = await Promise.all([start(), start(), start()])
    // A node that is gone refuses connections. One that lives is waited for, however busy the machine.
    nginx = await startNginx(
      nodes.map(({ baseUrl }) => new URL(baseUrl).host),
      undefined,
      '60s',
    )
    url = `http://127.0.0.1:${nginx.port}/v1`
  })
  after(async () => {
    await nginx?.stop()
    await Promise.all((nodes ?? []).map((node) => node.stop()))
    await postgres?.stop()
  })

  it('a node that is killed, and one that is stopped, under load fail no GET', async () => {
    const { key } = (await nodes[0]?.issueKey()) ?? { key: '' }
    const load = startLoad([0, 1, 2].map(() => () => ask(`${url}/pets`, key)))
    await until('load', () => load.answers.length > 300)
    nodes[0]?.process.kill('SIGKILL')
    const killedAt = load.answers.length
    await until('load on two nodes', () => load.answers.length > killedAt + 500)
    await nodes[1]?.stop()
    const stoppedAt = load.answers.length
    await until('load on one node', () => load.answers.length > stoppedAt + 500)
    for (const answer of await load.stop()) {
      assert.equal(answer.status, 200, answer.body)
      assertWellFormed(answer)
      assert.ok(answer.tookMs < 30_000, 'no node that is gone is waited for')
    }
  })
})
