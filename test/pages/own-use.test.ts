/** What a key is told of its own requests beside the interface, on each engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import { makeOwnUse } from '../../src/pages/own-use.ts'
import type { OwnUse } from '../../src/pages/own-use-data.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { pets } from '../support/commands/commands.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { startService } from '../support/service.ts'
import { minuteWith, until } from '../support/until.ts'

it('a key that asks for its requests many times at once is looked up once, and anew after a failure', async () => {
  let asked = 0
  let fails = false
  const sums = async () => {
    asked += 1
    if (fails) throw new StoreUnavailable('it is away.')
    return []
  }
  const ownUse = makeOwnUse({ sums }, systemClock)
  await Promise.all(Array.from({ length: 100 }, () => ownUse('key_a')))
  assert.equal(asked, 1)
  await ownUse('key_b')
  assert.equal(asked, 2)
  fails = true
  await assert.rejects(async () => ownUse('key_c'), StoreUnavailable)
  fails = false
  assert.equal((await ownUse('key_c')).status, 200)
})

onEachEngine(
  (name) => `a key's own requests, on ${name}`,
  (engine) => {
    it('are told by day, to that key alone, and to ask for them is one of them', async () => {
      const database = await engine.createDatabase()
      await using service = await startService({ database, args: ['--pages'] })
      const { id, key } = await service.issueKey('enterprise', { perMinute: 5, perDay: 1_000_000 })
      const { key: other } = await service.issueKey()
      const ask = (path: string, init: RequestInit = {}, secret = key) =>
        fetch(new URL(path, service.baseUrl), { ...init, headers: { authorization: `Bearer ${secret}` } })
      const daysOf = async (answer: Response) => ((await answer.json()) as OwnUse).days
      await minuteWith()
      const first = await ask('/use.json')
      assert.deepEqual(
        [first.status, first.headers.get('content-type'), first.headers.get('cache-control')],
        [200, 'application/json', 'no-store'],
      )
      assert.equal(first.headers.get('x-ratelimit-remaining'), '4')
      const statuses = []
      for (let n = 0; n < 7; n += 1) statuses.push((await ask('/v1/pets')).status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429, 429])
      const refused = await ask('/use.json')
      assert.deepEqual(
        [refused.status, Object.keys(Object(await refused.json()))],
        [429, ['code', 'message', 'status']],
      )
      const more = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000']
      assert.equal((await pets(['keys', 'edit', id, ...more, '--database', database])).code, 0)
      const sum = (days: OwnUse['days'], of: 'admitted' | 'refused') => days.reduce((all, day) => all + day[of], 0)
      let mine: OwnUse['days'] = []
      await until('what was refused is told', async () => {
        const answer = await ask('/use.json')
        // Refused until the service has learnt of the new limits.
        if (answer.status === 200) mine = await daysOf(answer)
        return sum(mine, 'refused') >= 4 && sum(mine, 'admitted') >= 5
      })
      const today = new Date().toISOString().slice(0, 10)
      assert.deepEqual([mine.length, mine.at(-1)?.day], [30, today])
      assert.equal(sum(await daysOf(await ask('/use.json', {}, other)), 'refused'), 0)
      assert.equal((await fetch(new URL('/use.json', service.baseUrl))).status, 401)
      assert.equal((await ask('/use.json', { method: 'POST' }, other)).status, 404)
      const head = await ask('/use.json', { method: 'HEAD' }, other)
      assert.deepEqual([head.status, await head.text()], [200, ''])
    })

    it('are not there without the pages', async () => {
      await using service = await startService({ database: await engine.createDatabase() })
      const { key } = await service.issueKey()
      const { status } = await fetch(new URL('/use.json', service.baseUrl), {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(status, 404)
    })
  },
)
