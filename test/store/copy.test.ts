/** `pets copy` between the real engines: nothing lost, nothing changed, nothing twice. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { newCounter } from '../../src/contract/limits.ts'
import type { NewPet } from '../../src/contract/schemas.ts'
import { RedisCounters } from '../../src/counters/redis-counters.ts'
import type { LedgerRow } from '../../src/store/ledger.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ownCounters } from '../support/own-counters.ts'
import { type Databases, postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import { pets as petsProcess } from '../support/service.ts'
import { authorAt, batchesOf, keyOf, PLAIN_IMPORT, PLAIN_SYNC, purgeBefore, WHOLE_JOURNAL } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

/** Kills the process when it has begun to add animals to PostgreSQL, before the fifth time that it does. */
const KILLING = `
  const { default: { Client } } = await import('${import.meta.resolve('pg')}')
  const { query } = Client.prototype
  let adds = 0
  Client.prototype.query = function (...args) {
    if (/INSERT INTO pets\\b/.test(args[0]?.text ?? args[0]) && ++adds === 5) process.kill(process.pid, 'SIGKILL')
    return query.apply(this, args)
  }`
const KILLED_HALF_WAY = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(KILLING)}` }
const LIMITS = { perMinute: 60, perDay: 1_000, ban: undefined }

const terms = { plan: 'enterprise', perMinute: 7, perDay: 8, expiresAtMs: 2, revokedAtMs: 3 } as const
const key = keyOf({ id: 'k1', lineage: 'k0', label: '„Tierheim“', ...terms })

const open = (url: string) => openStore(url, { serving: false, clock: patientClock })

async function copy(args: readonly string[], env = {}) {
  const { code, stdout, stderr } = await petsProcess(['copy', ...args], { env })
  return { code, output: stdout + stderr }
}

async function fill(store: Store, animals: number): Promise<void> {
  const pets = Array.from({ length: animals }, (_, n): NewPet => {
    const pet = { name: `Nº ${n} "x"\n`, categoryId: n % 2 === 0 ? INT64_MIN : INT64_MAX }
    return n % 3 === 0 ? pet : { ...pet, status: 'sold' }
  })
  await store.imports.add(batchesOf(pets), PLAIN_IMPORT)
}

function ledgerRow(lineage: string, n: number): LedgerRow {
  return { day: 20_600, lineage, operation: 'getPet', outcome: 'admitted', n }
}

async function everything(store: Store) {
  const pets = []
  for await (const batch of store.pets.export()) pets.push(...batch)
  const archive = store.archive
  const named = await archive.tables()
  const tables = await Promise.all(named.map(async (table) => [table, await archive.rows(table, undefined)]))
  return { pets, tables, lastGivenId: await archive.lastGivenId() }
}

describe('pets copy', { concurrency: false, ...postgresNeeded }, () => {
  let postgres: Databases
  let folder: string

  before(async () => {
    postgres = await sharedPostgres()
    folder = temporaryFolder()
  })
  after(() => postgres.stop())

  const fileAt = (name: string) => `sqlite:${join(folder, `${name}.db`)}`

  it('copies animals, keys and counters there and back, and ids continue', async () => {
    const urls = [fileAt('a'), await postgres.createDatabase(), fileAt('b')] as const
    const ways = [
      [urls[0], urls[1]],
      [urls[1], urls[2]],
    ] as const
    const source = await open(urls[0])
    await fill(source, 2_500)
    await source.keys.add(key, 'hash', authorAt(1))
    const counters = ownCounters(source, patientClock)
    for (let n = 0; n < 5; n += 1) await counters.consume('subject', LIMITS)
    await counters.close()
    await source.records.remove([2_500n, 7n], authorAt(5))
    await source.categories.name(new Map([[INT64_MIN, 'Owls']]), authorAt(6))
    await source.records.change([1n], { categoryId: INT64_MIN }, authorAt(6))
    await source.words.set(new Map([['sold', 'Adopted']]), authorAt(6))
    await source.records.change([1n], { name: 'No 1' }, authorAt(7))
    await purgeBefore(source.records, 6)
    await source.records.remove([8n], authorAt(9))
    const listed = { name: 'No 1', categoryId: INT64_MIN, status: null, reference: 'A1', line: 2 }
    const syncing = { ...PLAIN_SYNC, by: authorAt(7), adopts: true }
    assert.equal((await source.sync.run(batchesOf([listed]), syncing)).counts.adopted, 1)
    const invitation = { name: 'Ana', folded: 'ana', role: 'manager', hash: 'of a link', endsAtMs: 9 } as const
    await source.people.invite(invitation, authorAt(7))
    await source.people.accept('of a link', 'of a passphrase', { hash: 'of a session', atMs: 8 })
    const another = { ...invitation, hash: 'of another' }
    await source.people.reset({ folded: 'ana', revokedAtMs: undefined }, another, authorAt(9))
    const rows = Array.from({ length: 1_500 }, (_, n) => ledgerRow(`key_${n}`, 2 ** 50 + n))
    await source.requests.saveLedger(rows)
    const expected = await everything(source)
    await source.close()
    for (const [from, to] of ways) {
      const { code, output } = await copy(['--from', from, '--to', to])
      assert.equal(code, 0, output)
      assert.match(
        output,
        /^Copied and verified: 2497 animals, 1 key, counters of 1 subject\. SHA-256 of the animals: [0-9a-f]{64}\n$/,
      )
      const store = await open(to)
      assert.deepEqual(await everything(store), expected)
      assert.equal((await store.people.find('ana'))?.passphrase, 'of a passphrase')
      assert.equal(await store.people.session('of a session'), undefined, 'sessions stay behind')
      const there = ownCounters(store, patientClock)
      assert.equal((await there.peek('subject', { ...LIMITS, perMinute: 5_000 })).remaining, 995)
      await there.close()
      await store.close()
    }
    const used = await open(urls[0])
    await used.requests.saveLedger([ledgerRow('key_7', 1)])
    await used.close()
    for (const [from, to] of ways) {
      const again = await copy(['--from', from, '--to', to])
      assert.equal(again.code, 0, `repeated on the same pair: ${again.output}`)
    }
    const target = await open(urls[1])
    assert.equal((await target.records.restore([8n], authorAt(10))).changed, 1)
    assert.deepEqual(await target.imports.undo(2n, authorAt(11)), { removed: 0, putBack: 1, kept: 0 })
    assert.deepEqual(await target.imports.undo(1n, authorAt(11)), { removed: 2_497, kept: 3 })
    const [entry] = await target.records.journal({ ...WHOLE_JOURNAL, isWhole: true, limit: 1 })
    assert.equal(entry?.act, 'undo import')
    await target.people.invite({ ...invitation, name: 'Bo', folded: 'bo', hash: 'of a third' }, authorAt(12))
    assert.equal((await target.people.find('bo'))?.n, 2n)
    assert.equal((await target.pets.create({ name: 'next', categoryId: 1n })).id, 2_501n)
    await target.close()
  })

  it('is refused while a service runs on either side', async () => {
    const [from, to] = [fileAt('served'), fileAt('other')]
    await (await open(from)).close()
    for (const served of [from, to]) {
      const service = await openStore(served, { serving: true, clock: patientClock })
      const { code, output } = await copy(['--from', from, '--to', to])
      await service.close()
      assert.equal(code, 1)
      assert.match(
        output,
        /^`pets serve` is running on .*\.db; stop it first \(Ctrl-C in its terminal\) and try again\.$/m,
      )
    }
  })

  it('continues where it stopped after being killed', async () => {
    const [from, to] = [fileAt('killed'), await postgres.createDatabase()]
    const source = await open(from)
    await fill(source, 60_000)
    assert.equal((await copy(['--from', from, '--to', to], KILLED_HALF_WAY)).code, null)
    const target = await open(to)
    const stoppedAt = await target.archive.lastPetId()
    assert(stoppedAt !== undefined && stoppedAt < 60_000n, `stopped at ${stoppedAt}`)
    const { code, output } = await copy(['--from', from, '--to', to])
    assert.equal(code, 0, output)
    assert.deepEqual(await everything(target), await everything(source))
    await Promise.all([source.close(), target.close()])
  })

  it('does not touch a database that holds other animals, nor create a missing source', async () => {
    const [from, to] = [fileAt('one'), await postgres.createDatabase()]
    const [source, target] = [await open(from), await open(to)]
    await fill(source, 10)
    await target.pets.create({ name: 'other', categoryId: 1n })
    const { code, output } = await copy(['--from', from, '--to', to])
    assert.equal(code, 1)
    assert.match(output, /contains other animals than the database of --from\. .+ Nothing was changed/)
    assert.equal((await everything(target)).pets.length, 1)
    const missing = await copy(['--from', fileAt('missing'), '--to', to])
    assert.match(missing.output, /There is no database at .*missing\.db; .* name the database with --from/)
    await Promise.all([source.close(), target.close()])
  })

  it('puts counters into Redis when the nodes will count there', redisNeeded, async (t) => {
    const redis = await startRedis()
    t.after(() => redis.stop())
    const from = fileAt('counted')
    const source = await open(from)
    const nowMs = Date.now()
    const counter = { ...newCounter(), day: Math.floor(nowMs / 86_400_000), dayCount: 400 }
    const initial = { subject: counter, 'long ago': { ...counter, day: 3 } }
    await source.archive.putCounters(new Map(Object.entries(initial)))
    await source.close()
    const to = await postgres.createDatabase()
    const { code, output } = await copy(['--from', from, '--to', to, '--counters', redis.url])
    assert.equal(code, 0, output)
    const counters = new RedisCounters(redis.url, patientClock, () => nowMs)
    t.after(() => counters.close())
    await counters.revive()
    assert.equal((await counters.peek('subject', { ...LIMITS, perMinute: 5_000 })).remaining, 600)
  })
})
