/** `pets usage`: the ledger as people and programs read it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import { issueKey, rotateKey } from '../../src/domain/keys.ts'
import type { LedgerOperation, Sums } from '../../src/store/ledger.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { NO_USE, usedOn } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const path = `${temporaryFolder()}/pets.db`
const SINCE = ['--since', '2026-01-31T23:30:00Z', '--database', `sqlite:${path}`]

const rowsOf = (day: string, ...use: [lineage: string, operation: LedgerOperation, sums: Partial<Sums>]) =>
  usedOn(Date.parse(day) / DAY_MS, ...use)

const FREE = { plan: 'free', custom: undefined, label: undefined, expiresAtMs: undefined } as const
const linesOf = (text: string) => text.trim().split('\n')

describe('pets usage', () => {
  let ids: readonly string[]
  before(async () => {
    const store = await openSqlite(path, { serving: false, clock: patientClock })
    after(() => store.close())
    const issuer = { store, clock: patientClock, randomBytes, who: 'a test' }
    const { key } = await issueKey(issuer, FREE)
    const { key: successor } = await rotateKey(issuer, key.id, { overlapMs: 0 })
    ids = [key.id, successor.id]
    const rows = [
      ...rowsOf('2026-01-30', key.id, 'getPet', { admitted: 100 }),
      ...rowsOf('2026-01-31', key.id, 'getPet', { admitted: 3, answered4xx: 2 }),
      ...rowsOf('2026-02-01', key.id, 'getPet', { admitted: 5, refusedByMinute: 4, refusedByDay: 3 }),
      ...rowsOf('2026-02-28', key.id, 'getPet', { admitted: 7, refusedByBan: 1 }),
      ...rowsOf('2026-02-01', 'key_other', 'other', { admitted: 1, answered5xx: 1 }),
    ]
    await store.requests.saveLedger(rows)
  })

  it('tells a key with those that it replaced and that replaced it, from the period of --since on', async () => {
    for (const id of ids) {
      const { stdout, stderr } = await pets(['usage', id, ...SINCE])
      assert.deepEqual(
        linesOf(stdout).map((line) => line.split(/ {2,}/)),
        [
          ['FROM', 'OPERATION', 'ADMITTED', 'BY MINUTE', 'BY DAY', 'BY BAN', '4XX', '5XX'],
          ['2026-01-31', 'getPet', '3', '0', '0', '0', '2', '0'],
          ['2026-02-01', 'getPet', '5', '4', '3', '0', '0', '0'],
          ['2026-02-28', 'getPet', '7', '0', '0', '1', '0', '0'],
        ],
        stderr,
      )
    }
  })

  it('sums days into months, all keys without an id, as JSON', async () => {
    const { stdout } = await pets(['usage', '--by', 'month', '--json', ...SINCE])
    const [january, february] = ['01', '02'].map((month) => ({ fromAt: `2026-${month}-01T00:00:00.000Z`, ...NO_USE }))
    assert.deepEqual(
      linesOf(stdout).map((line) => JSON.parse(line)),
      [
        { ...january, operation: 'getPet', admitted: 103, answered4xx: 2 },
        { ...february, operation: 'getPet', admitted: 12, refusedByMinute: 4, refusedByDay: 3, refusedByBan: 1 },
        { ...february, operation: 'other', admitted: 1, answered5xx: 1 },
      ],
    )
  })

  it('is CSV with a line of headings, also where nothing was used', async () => {
    const heads = 'fromAt,operation,admitted,refusedByMinute,refusedByDay,refusedByBan,answered4xx,answered5xx\r\n'
    const { stdout } = await pets(['usage', ids[0] ?? '', '--csv', ...SINCE])
    assert.equal(stdout.split('\r\n')[1], '2026-01-31T00:00:00.000Z,getPet,3,0,0,0,2,0')
    const none = await pets(['usage', '--csv', '--since', '2026-11-01', '--database', `sqlite:${path}`])
    assert.equal(none.stdout, heads)
    assert(stdout.startsWith(heads))
  })

  it('refuses an unknown key, and two output forms together', async () => {
    const unknown = await pets(['usage', 'key_none', ...SINCE])
    assert.equal(unknown.code, 1)
    assert.equal(unknown.stderr, 'Key key_none does not exist. `pets keys list` lists the keys.\n')
    const both = await pets(['usage', '--csv', '--json', ...SINCE])
    assert.equal(both.code, 2)
  })
})
