/** The operator is warned before a key runs out (`--warn-at`): once in each window, wherever its requests count. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { Access } from '../../src/domain/access.ts'
import { issueKey } from '../../src/domain/keys.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { limitWarnings } from '../../src/service/service-log.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { keptLog } from '../support/log.ts'
import { patientClock } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

const store = await openSqlite(`${temporaryFolder()}/pets.db`, { serving: true, clock: patientClock })
after(() => store.close())

/** Two nodes with shared counters and one place for what they tell. */
function setUp(shares: readonly number[]) {
  const clock = new VirtualClock()
  const metrics = new Metrics()
  const kept = keptLog()
  const warnings = limitWarnings(shares, metrics, kept.log, clock)
  const counters = new MemoryCounters(clock)
  const ledger = new LedgerBuffer({ store, clock, process: 'both' })
  const options = { store, counters, ledger, clock, ban: undefined, anonymousPerMinute: 5, warnings }
  const nodes = [new Access(options), new Access(options)] as const
  const issue = (perMinute: number, perDay: number) => {
    const plan = {
      plan: 'enterprise',
      custom: { perMinute, perDay },
      label: undefined,
      expiresAtMs: undefined,
    } as const
    return issueKey({ store, clock, randomBytes, who: 'a test' }, plan)
  }
  const warned = () => [...metrics.warnings].map(([what, times]) => `${what}: ${times}`).join(', ')
  const ask = async (secret: string, times: number) => {
    const from = { ip: '192.0.2.1', operation: 'listPets' } as const
    for (let n = 0; n < times; n += 1) await nodes[n % 2 === 0 ? 0 : 1].admit(`Bearer ${secret}`, from)
  }
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await ledger.close()
  }
  return { clock, kept, warned, issue, ask, close }
}

describe('a warning about a limit', () => {
  it('comes once a window and share, on one of the nodes, and again in the next window', async () => {
    const { clock, warned, issue, ask, close } = setUp([80, 100])
    const { secret } = await issue(10, 15)
    await ask(secret, 7)
    assert.equal(warned(), '')
    await ask(secret, 1)
    assert.equal(warned(), 'minute 80: 1')
    await ask(secret, 9)
    assert.equal(warned(), 'minute 80: 1, minute 100: 1')
    clock.leap(60_000)
    await ask(secret, 9)
    assert.equal(warned(), 'minute 80: 1, minute 100: 1, day 80: 1, day 100: 1')
    clock.leap(86_400_000)
    await ask(secret, 8)
    assert.equal(warned(), 'minute 80: 2, minute 100: 1, day 80: 1, day 100: 1')
    await close()
  })

  it('is exact for the largest limits, and one where a limit is too small for several shares', async () => {
    const { warned, issue, ask, close } = setUp([1, 80, 100])
    await ask((await issue(1, Number.MAX_SAFE_INTEGER)).secret, 2)
    await ask((await issue(3, 3)).secret, 1)
    assert.equal(warned(), 'minute 100: 1, minute 1: 1, day 1: 1')
    await close()
  })

  it('about many keys at once does not fill the log', async () => {
    const { warned, kept, clock, issue, ask, close } = setUp([100])
    for (let n = 0; n < 120; n += 1) await ask((await issue(1, 9)).secret, 1)
    assert.equal(warned(), 'minute 100: 120')
    const lines = () => kept.text().match(/a key has used a share/g)?.length
    assert.equal(lines(), 100)
    assert.match(kept.text(), /more such warnings of this minute/)
    clock.leap(60_000)
    await ask((await issue(1, 9)).secret, 1)
    assert.equal(lines(), 101)
    await close()
  })
})
