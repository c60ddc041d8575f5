/** A running service honours `pets keys unban` and `pets keys edit` on every engine (O7, R14, R17). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { linesOf } from '../support/commands/commands.ts'
import { newDatabase } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import { pets, startService } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'
import { until } from '../support/until.ts'

const BAN = ['--ban', '50/3600s/50000s']

async function assertHonoured(database: string, isAtOnce: boolean, counters: readonly string[] = []) {
  await using service = await startService({ database, args: [...BAN, ...counters], operatorPort: 'none' })
  const { id, key } = await service.issueKey('enterprise', { perMinute: 1, perDay: 1_000 }, 'Tierheim')
  const ask = () => call(service.port, { key })
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await pets(['keys', ...args, '--database', database])
    assert.equal(code, 0, stderr)
    return stdout
  }
  let last = await ask()
  // By time and not by number: refusals of a node that counts by itself for a moment do not lead to a ban (O15).
  await until('the key is banned', async () => {
    last = await ask()
    return Number(last.headers['retry-after'] ?? 0) >= 40_000
  })
  assert.equal(last.status, 429)
  assert.match(
    (JSON.parse(last.body) as { message: string }).message,
    /^This key is temporarily banned because .*; try again in \d+ s\.$/,
  )
  await until('the ban is noted', async () => /State +banned until 20/.test(await run('show', id)))
  const [line] = await service.says(/^.*"msg":"a key is banned".*$/m)
  assert(line.includes(`"key":"${id}"`), line)
  assert.equal(service.output().match(/"msg":"a key is banned"/g)?.length, 1)
  assert.match(
    await run('show', id),
    /^Bans +1, the last from .*Z: 50 requests refused within 3600 s, over the limit of 1 a minute$/m,
  )
  const [listed] = linesOf<{ state: string; ban: object }>(await run('list', '--json'))
  assert.partialDeepStrictEqual(listed, { state: 'banned', ban: { count: 1, window: 'minute' } })

  // While it is banned no refusal counts, however long the service takes to hear of it.
  await run('edit', id, '--plan', 'pro', '--label', 'Tierheim Süd')
  assert.equal((await ask()).headers['x-ratelimit-limit'], '1', 'of the window that refused')
  const when = isAtOnce ? '' : ', on every node within 5 seconds'
  assert.equal(await run('unban', id), `Key ${id} (Tierheim Süd) is no longer banned${when}.\n`)
  if (!isAtOnce) await until('the unban is heard of', async () => (await ask()).status === 200)
  const heard = await ask()
  assert.deepEqual([heard.status, heard.headers['x-ratelimit-limit']], [200, '300'])
  const store = await openStore(database, { serving: false, clock: patientClock })
  const acts = await store.records.journal({ keyId: id, limit: 10 })
  await store.close()
  assert.deepEqual(
    acts.map(({ act }) => act),
    ['unban key', 'edit key', 'ban key', 'issue key'],
  )
}

onEachEngine(
  (name) => `a service on ${name}`,
  (engine) => {
    it('applies an unban and new terms while it runs, and keeps what was used', async () =>
      assertHonoured(await engine.createDatabase(), engine.name === 'SQLite'))
  },
)

it('a service that counts in Redis applies new terms, too', redisNeeded, async () => {
  await using redis = await startRedis()
  await assertHonoured(newDatabase(), true, ['--counters', redis.url])
})
