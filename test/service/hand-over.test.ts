/**
 * One process follows another on sockets that systemd holds (pets.socket of deploy/), with real processes: no request
 * is refused, left unanswered, or acknowledged and lost. `test/process/updates.test.ts` does it many times, under load.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issue, LARGE, stored } from '../support/durability.ts'
import { call, RawConnection } from '../support/http.ts'
import { oneOf, until } from '../support/until.ts'
import { SteadyLoad } from '../support/updates/steady-load.ts'
import { playSystemd, programOf } from '../support/updates/systemd.ts'

describe('sockets of systemd', () => {
  it('are handed to the next process with no request refused, unanswered or lost, and no probe failed (R9)', async () => {
    await using systemd = await playSystemd(programOf(), { holdsSockets: true })
    const key = await issue(systemd.database, ...LARGE)
    const load = new SteadyLoad({ port: systemd.port, key, fresh: 50, kept: 4 })
    const probes: number[] = []
    const probe = async () => probes.push((await call(systemd.operatorPort, { path: '/readyz' })).status)
    await until('creates', () => load.acknowledged.size > 20)
    const get = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
    // A machine so busy that nothing is sent for the time that an idle connection has is no defect.
    await oneOf(3, async () => {
      using idle = new RawConnection(systemd.port)
      await idle.send(get).answers(1)
      const updated = systemd.systemctl('restart')
      let isOver = false
      void updated.then(() => {
        isOver = true
      })
      await until('it stops', () => isOver || systemd.log().includes('"msg":"stopping"'))
      const [, last] = await idle.send(get).answers(2)
      await until('the next process is ready', async () => {
        await probe()
        return isOver
      })
      assert.equal(await updated, 0)
      return last?.status === 200 && last.headers.connection === 'close' ? undefined : 'an idle connection was closed'
    })
    const before = load.acknowledged.size
    await until('creates', () => load.acknowledged.size > before + 20)
    await load.end()
    assert.deepEqual(load.wrong, [])
    assert.deepEqual(new Set(probes), new Set([200]))
    const animals = await stored(systemd.database)
    for (const [id, name] of load.acknowledged) assert.equal(animals.get(id), name)
  })
})
