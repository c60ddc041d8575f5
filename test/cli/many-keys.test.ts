/** With very many keys, commands and the office read no more of them than they show (O7). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import type { KeyPage } from '../../src/office/office-data.ts'
import { KEYS_PER_PAGE } from '../../src/office/routes/key-routes.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/store.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { enterOffice } from '../support/office-client.ts'
import { type CommandResult, startService } from '../support/service.ts'

const KEYS = 300_000
const PETS = resolve(import.meta.dirname, '../../src/cli/pets.ts')

describe('300,000 keys', () => {
  const path = `${temporaryFolder()}/pets.db`
  const database = ['--database', `sqlite:${path}`]
  let store: SqliteStore

  before(async () => {
    await (await openSqlite(path, { serving: false, clock: systemClock })).close()
    const raw = new DatabaseSync(path, { timeout: 5_000 })
    raw.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEYS})
      INSERT INTO keys (id, lineage, hash, plan, per_minute, per_day, label, created_at_ms, last_used_at_ms)
      SELECT printf('key_%012x', i), printf('key_%012x', i), 'hash ' || i, 'free', 60, 1000, 'partner ' || i, 1700000000000 + i / 3,
        CASE WHEN i % 5 = 0 THEN NULL ELSE 1710000000000 + i % 10007 END FROM n`)
    raw.close()
    store = await openSqlite(path, { serving: false, clock: systemClock })
  })
  after(() => store.close())

  it('are listed as they are read: the first lines do not wait for the rest', async () => {
    const child = spawn(process.execPath, [PETS, 'keys', 'list', ...database], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    assert.match(first, /^ID +PLAN/)
    child.stdout.destroy()
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
    const all = await pets(['keys', 'list', '--json', ...database])
    assert.equal(all.stdout.trimEnd().split('\n').length, KEYS)
  })

  it('do not slow down a service whose office lists those used last, nor rotating and revoking', async () => {
    const copy = path.replace('pets.db', 'copy.db')
    await store.close()
    copyFileSync(path, copy)
    store = await openSqlite(path, { serving: false, clock: systemClock })
    await using service = await startService({ database: `sqlite:${copy}`, args: ['--first-key', '--office'] })
    const operator = await enterOffice(service)
    assert.doesNotMatch(service.output(), /first API key/)
    const look = async () => (await operator.ask('GET', '/api/keys?sort=used')).json as KeyPage
    const { total, keys } = await look()
    assert.deepEqual([total, keys.length], [KEYS, KEYS_PER_PAGE])
    const lastUsed = keys.map(({ lastUsedAtMs }) => lastUsedAtMs ?? 0)
    assert(lastUsed.every((atMs, i) => i === 0 || atMs <= (lastUsed[i - 1] ?? 0)))
    const expected = { id: keys[0]?.id, state: 'active', minute: { limit: 60, used: 0 }, day: { limit: 1000, used: 0 } }
    assert.partialDeepStrictEqual(keys[0], expected)
    const of = ['--json', '--database', service.database]
    const done: CommandResult[] = [
      await pets(['keys', 'rotate', 'key_000000020000', ...of]),
      await pets(['keys', 'revoke', 'key_000000030000', ...of]),
    ]
    for (const { code, stderr } of done) assert.equal(code, 0, stderr)
    assert.equal((await look()).total, KEYS + 1)
  })
})
