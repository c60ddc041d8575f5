/** A failover: the address moves from a killed PostgreSQL to its standby, which is then promoted. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresNeeded, startPostgres } from '../support/servers/postgres.ts'
import { startSlowLink } from '../support/servers/slow-link.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { type Answer, ask, assertWellFormed, questionsTo, startLoad } from './load.ts'

it('a failover of PostgreSQL loses nothing acknowledged and causes only 503s while it lasts (O23)', {
  ...postgresNeeded,
}, async () => {
  const primary = await startPostgres()
  const standby = await primary.startStandby()
  // As a virtual address, or a name, is in production.
  await using address = await startSlowLink(primary.port, 0)
  const url = new URL(await primary.createDatabase())
  url.port = String(address.port)
  const database = url.href
  const nodes = await Promise.all([startService({ database }), startService({ database })])
  let load: ReturnType<typeof startLoad> | undefined
  try {
    const key = (await nodes[0]?.issueKey('enterprise', { perMinute: 1_000_000, perDay: 1_000_000 }))?.key ?? ''
    const running = startLoad(questionsTo(nodes, key))
    load = running
    const created = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201)
    await until('load', () => created(running.answers).length > 300)

    await primary.kill()
    address.moveTo(standby.port)
    // Long enough to meet the standby while it only reads.
    await sleep(1_500)
    const killed = running.answers.length
    await standby.promote()
    await until('service', () => created(running.answers.slice(killed)).length > 100)
    const answers = await running.stop()

    for (const answer of answers) assertWellFormed(answer)
    for (const { status } of answers) assert.ok([200, 201, 503].includes(status), String(status))
    assert.ok(answers.some(({ status }) => status === 503))
    for (const { body } of created(answers)) {
      const { id } = JSON.parse(body) as { id: number }
      assert.equal((await ask(`${nodes[1]?.baseUrl}/pets/${id}`, key)).body, body)
    }
  } finally {
    await load?.stop() // otherwise requests to stopped nodes would hide the reason
    await Promise.all(nodes.map((node) => node.stop()))
    await Promise.all([primary.stop(), standby.stop()])
  }
})
