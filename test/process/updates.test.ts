/** Updates of the running service under load. Real processes; systemd is played (updates/systemd.ts). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { call } from '../support/http.ts'
import { until } from '../support/until.ts'
import { assertStored } from './creates.ts'
import { SteadyLoad } from './updates/steady-load.ts'
import { playSystemd } from './updates/systemd.ts'

const UPDATES = 20

it(`restarts with pets.socket refuse no request and lose no acknowledged animal (R4, R9)`, async () => {
  await using systemd = await playSystemd()
  const { database } = systemd
  const { key } = await commandsOn(database).key(...LARGE)
  const load = new SteadyLoad({ port: systemd.port, key, fresh: 500, kept: 64 })
  const more = async () => {
    const before = load.acknowledged.size
    await until('creates', () => load.acknowledged.size > before + 300)
  }
  await more()
  const probes = new Set<number>()
  for (let n = 0; n < UPDATES; n += 1) {
    const restarted = systemd.restart()
    let isOver = false
    void restarted.then(() => {
      isOver = true
    })
    while (!isOver) probes.add((await call(systemd.operatorPort, { path: '/readyz' })).status)
    await restarted
    await more()
  }
  await load.end()
  assert.deepEqual([load.wrong, [...probes]], [[], [200]])
  await assertStored(database, load.acknowledged)
})
