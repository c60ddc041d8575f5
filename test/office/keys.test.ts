/** The routes for keys. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { PLANS } from '../../src/contract/plans.ts'
import { makeSecret } from '../../src/domain/keys.ts'
import type { IssuedKey, KeyPage, KeyUse, OfficeKey } from '../../src/office/office-data.ts'
import { MAX_KEYS_LOOKED_AT } from '../../src/operator/key-use.ts'
import type { LedgerRow } from '../../src/store/ledger.ts'
import type { Key } from '../../src/store/rows.ts'
import { START_MS } from '../support/app.ts'
import { addKey, type OfficeOfOperator, startWithOperator } from '../support/office-app.ts'
import { PASSPHRASE } from '../support/office-client.ts'
import { usedOn, WHOLE_JOURNAL } from '../support/store.ts'

const NEW = { label: 'Tierheim Süd', plan: 'free', passphrase: PASSPHRASE }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SECRET = makeSecret(randomBytes)

describe('the office’s keys', () => {
  const list = async (office: OfficeOfOperator, query = ''): Promise<KeyPage> => {
    const { status, body } = await office.ask('GET', `/api/keys?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const idsOf = async (office: OfficeOfOperator, query: string) => (await list(office, query)).keys.map(({ id }) => id)

  it('are found by part of the label or id, ignoring case and accents', async () => {
    await using office = await startWithOperator()
    await addKey(office.store, { id: 'key_0a', label: 'Tierheim Süd', createdAtMs: START_MS })
    await addKey(office.store, { id: 'key_0b', label: '100 % _pets_', createdAtMs: START_MS + 1 })
    const found = async (text: string) => idsOf(office, `text=${encodeURIComponent(text)}`)
    assert.deepEqual(await found('sud'), ['key_0a'])
    assert.deepEqual(await found('KEY_0B'), ['key_0b'])
    assert.deepEqual(await found('  '), ['key_0b', 'key_0a'])
    for (const wrong of ['text=%00', 'sort=age', 'page=0', 'page=1.5', 'sort=used&sort=used']) {
      const { status, body } = await office.ask('GET', `/api/keys?${wrong}`)
      assert.deepEqual([status, body.code], [400, 'invalid'], wrong)
    }
    for (const id of ['%00', 'key_none', '__proto__']) {
      assert.equal((await office.ask('POST', `/api/keys/${id}/revoke`, { label: '' })).status, 404, id)
    }
  })

  it('show use on each of 30 days, including replaced keys', async () => {
    await using office = await startWithOperator()
    await addKey(office.store, { id: 'key_old', lineage: 'key_old' })
    await addKey(office.store, { id: 'key_new', lineage: 'key_old' })
    const today = Math.floor(START_MS / DAY_MS) * DAY_MS
    const used = (lineage: string, ago: number, admitted: number) =>
      usedOn(today / DAY_MS - ago, lineage, 'listPets', { admitted })
    const rows = [used('key_old', 0, 5), used('key_old', 29, 7), used('key_old', 30, 9), used('key_else', 0, 11)].flat()
    await office.store.requests.saveLedger(rows)
    const { key, days, operations, todayMs }: KeyUse = (await office.ask('GET', '/api/keys/key_new/use')).body
    assert.deepEqual([key.id, todayMs], ['key_new', today])
    assert.deepEqual(
      days.map(({ dayMs, operation, sums }) => [(today - dayMs) / DAY_MS, operation, sums.admitted]),
      [
        [29, 'listPets', 7],
        [0, 'listPets', 5],
      ],
    )
    assert.deepEqual(operations.slice(0, 2), [
      ['listPets', 'List animals'],
      ['createPet', 'Add an animal'],
    ])
    assert.equal((await office.ask('GET', '/api/keys/key_none/use')).status, 404)
  })

  it('are paged with each key once, in each order', async () => {
    await using office = await startWithOperator()
    const rows: LedgerRow[] = []
    const names = Array.from({ length: 120 }, (_, n) => `key_${String(n).padStart(3, '0')}`)
    for (const [n, id] of names.entries()) {
      const lastUsedAtMs = n % 3 === 0 ? undefined : n % 3 === 1 ? START_MS - n : START_MS - 24 * HOUR_MS - n
      await addKey(office.store, { id, createdAtMs: START_MS + (n >> 1), lastUsedAtMs })
      const day = Math.floor(START_MS / DAY_MS) - (n === 5 ? 1 : 0)
      if (n % 10 === 0 || n === 5) rows.push(...usedOn(day, id, 'listPets', { refusedByMinute: n, refusedByDay: 1 }))
    }
    await office.store.requests.saveLedger(rows)
    for (const id of ['key_001', 'key_001', 'key_100', 'key_100', 'key_100'])
      await takeOne(office, (await office.store.keys.get(id)) as Key)
    for (const sort of ['newest', 'used', 'refused']) {
      const pages = await Promise.all([1, 2, 3, 9].map((page) => list(office, `sort=${sort}&page=${page}`)))
      const shown = pages.map(({ total, found, page, pages, keys }) => [total, found, page, pages, keys.length].join())
      assert.deepEqual(shown, ['120,120,1,3,50', '120,120,2,3,50', '120,120,3,3,20', '120,120,3,3,20'], sort)
      const ids = pages.slice(0, 3).flatMap(({ keys }) => keys.map(({ id }) => id))
      assert.deepEqual(ids.toSorted(), names, `${sort}: each key once`)
    }
    assert.deepEqual((await idsOf(office, 'sort=newest')).slice(0, 2), ['key_119', 'key_118'])
    assert.deepEqual((await idsOf(office, 'sort=used')).slice(0, 4), ['key_100', 'key_001', 'key_004', 'key_007'])
    const refused = await list(office, 'sort=refused&text=key_0')
    assert.deepEqual(
      refused.keys.slice(0, 11).map((key) => [key.id, key.refused]),
      [...[90, 80, 70, 60, 50, 40, 30, 20, 10].map((n) => [`key_0${n}`, n + 1]), ['key_000', 1], ['key_099', 0]],
    )
    assert.equal(refused.found, 100)
  })

  it('have state, use and limits, which viewing does not count', async () => {
    const ban = { refusals: 2, withinMs: 60_000, forMs: 600_000 }
    await using office = await startWithOperator({ ban })
    const issue = async (perMinute: number, perDay: number): Promise<IssuedKey> =>
      (await office.ask('POST', '/api/keys', { ...NEW, plan: 'enterprise', perMinute, perDay })).body
    const most = Number.MAX_SAFE_INTEGER
    const [wide, hasty, revoked] = [await issue(7, most), await issue(9, 1), await issue(7, 8)]
    await office.ask('POST', `/api/keys/${revoked.key.id}/revoke`, { label: NEW.label })
    for (let i = 0; i < 3; i += 1) await admit(office, wide.secret)
    for (let i = 0; i < 3; i += 1) await admit(office, hasty.secret)
    await list(office)
    const shown = new Map((await list(office)).keys.map((key) => [key.id, key]))
    const told = ({ key: { id } }: IssuedKey) => {
      const { state, minute, day } = shown.get(id) ?? hasty.key
      return [state, minute.used, minute.limit, day.used, day.limit]
    }
    assert.deepEqual(told(wide), ['active', 3, 7, 3, most])
    assert.deepEqual(told(hasty), ['banned', 1, 9, 1, 1])
    assert.deepEqual(told(revoked), ['revoked', 0, 7, 0, 8])
  })

  it('are edited without a new secret, and name their replacement key', async () => {
    await using office = await startWithOperator()
    const { key, secret }: IssuedKey = (await office.ask('POST', '/api/keys', NEW)).body
    await admit(office, secret)
    const edit = (terms: object) => office.ask('POST', `/api/keys/${key.id}/edit`, terms)
    const edited = (await edit({ plan: 'pro', label: ' Tierheim Nord ' })).body
    const { label, plan, day } = edited
    assert.deepEqual([label, plan, day], ['Tierheim Nord', 'pro', { limit: PLANS.pro.perDay, used: 1 }])
    assert.deepEqual((await admit(office, secret))?.plan, 'pro')
    const unlabelled = (await edit({ label: '' })).body
    assert.deepEqual([unlabelled.id, unlabelled.label], [key.id, ''])
    for (const terms of [{}, { plan: 'gold' }, { perMinute: 5 }, { label: 'a\nb' }, { perDay: 0 }]) {
      assert.equal((await edit(terms)).status, 400, JSON.stringify(terms))
    }
    const rotated = await office.ask('POST', `/api/keys/${key.id}/rotate`, { overlapS: 60, passphrase: PASSPHRASE })
    const successor = rotated.body.key as OfficeKey
    const { body } = await office.ask('GET', `/api/keys/${key.id}`)
    assert.equal(body.successor.id, successor.id)
    assert.equal((await office.ask('GET', `/api/keys/${successor.id}`)).body.successor, null)
  })

  it('are examined in a limited number when sorted by use', async () => {
    await using office = await startWithOperator()
    for (let n = 0; n < MAX_KEYS_LOOKED_AT + 200; n += 1)
      await addKey(office.store, { id: `key_${n}`, lastUsedAtMs: START_MS })
    let looks = 0
    const peekKey = office.access.peekKey.bind(office.access)
    office.access.peekKey = (key) => {
      looks += 1
      return peekKey(key)
    }
    const page = await list(office, 'sort=used&page=21')
    assert.equal(page.keys.length, 50)
    assert.equal(looks, MAX_KEYS_LOOKED_AT + 50)
  })

  it('are created with plan, label and expiry, and the secret is in that response only', async () => {
    await using office = await startWithOperator()
    const expiresAtMs = START_MS + HOUR_MS
    const { status, body } = await office.ask('POST', '/api/keys', { ...NEW, expiresAtMs })
    assert.equal(status, 201, JSON.stringify(body))
    const { key, secret, oldUntilMs } = body as IssuedKey
    assert.match(secret, /^pets_[\w-]{48}$/)
    const { label, plan, state, minute, day } = key
    assert.deepEqual(
      [label, plan, state, key.expiresAtMs, oldUntilMs],
      [NEW.label, 'free', 'active', expiresAtMs, null],
    )
    assert.deepEqual([minute.limit, day.limit], [PLANS.free.perMinute, PLANS.free.perDay])
    assert.equal((await admit(office, secret))?.id, key.id)
    assert.doesNotMatch(JSON.stringify(await list(office)), /pets_/)
    const [entry] = await office.store.records.journal({ ...WHOLE_JOURNAL, keyId: key.id })
    assert.deepEqual([entry?.who, entry?.act], ['Olga', 'issue key'])
  })

  it('are not created from invalid values or without the passphrase', async () => {
    await using office = await startWithOperator()
    for (const wrong of [
      { plan: 'gold' },
      { label: 'two\nlines' },
      { expiresAtMs: START_MS },
      { expiresAtMs: 1e300 },
      { plan: 'enterprise' },
      { perMinute: 7, perDay: 8 },
      { plan: 'enterprise', perMinute: 2 ** 63, perDay: 1 },
      { passphrase: undefined },
    ]) {
      const { status, body } = await office.ask('POST', '/api/keys', { ...NEW, ...wrong })
      assert.deepEqual([status, body.code], [400, 'invalid'], JSON.stringify(wrong))
      assert.match(body.message, /^[A-Z].*\.$/)
    }
    const refused = await office.ask('POST', '/api/keys', { ...NEW, passphrase: 'guess' })
    assert.deepEqual([refused.status, refused.body.code], [403, 'passphrase'])
    assert.equal(await office.store.keys.count(), 0)
  })

  it('are rotated, and the old key works until the time shown', async () => {
    await using office = await startWithOperator()
    const old: IssuedKey = (await office.ask('POST', '/api/keys', NEW)).body
    const rotate = (id: string, overlapS: number, passphrase = PASSPHRASE) =>
      office.ask('POST', `/api/keys/${id}/rotate`, { overlapS, passphrase })
    const { key, secret, oldUntilMs }: IssuedKey = (await rotate(old.key.id, 60)).body
    assert.deepEqual([oldUntilMs, key.label], [START_MS + 60_000, NEW.label])
    assert.equal((await admit(office, secret))?.id, key.id)
    assert.equal((await admit(office, old.secret))?.id, old.key.id)
    office.clock.nowMs += 60_000
    assert.equal(await admit(office, old.secret), undefined)
    assert.equal((await rotate(key.id, 60, 'guess')).body.code, 'passphrase')
    for (const wrong of [rotate(key.id, -1), rotate(old.key.id, 60)]) assert.equal((await wrong).body.code, 'invalid')
    await rotate(key.id, 3_600)
    const third = await rotate(key.id, 3_600)
    assert.deepEqual([third.status, third.body.code], [409, 'conflict'])
  })

  it('are revoked immediately, and only by typing the label as shown', async () => {
    await using office = await startWithOperator()
    const { key, secret }: IssuedKey = (await office.ask('POST', '/api/keys', NEW)).body
    const path = `/api/keys/${key.id}/revoke`
    for (const label of ['', 'tierheim süd', key.id]) {
      assert.equal((await office.ask('POST', path, { label })).status, 400, label)
    }
    assert.equal((await admit(office, secret))?.id, key.id)
    const { status, body } = await office.ask('POST', path, { label: ' Tierheim  Su\u0308d ' })
    assert.deepEqual([status, body.state], [200, 'revoked'])
    assert.equal(await admit(office, secret), undefined)
    assert.equal((await office.ask('POST', '/api/keys/key_none/revoke', { label: '' })).status, 404)
    await addKey(office.store, { id: 'key_unnamed' })
    assert.equal((await office.ask('POST', '/api/keys/key_unnamed/revoke', { label: '' })).status, 400)
    assert.equal((await office.ask('POST', '/api/keys/key_unnamed/revoke', { label: 'key_unnamed' })).status, 200)
  })
})

async function admit({ access }: OfficeOfOperator, secret: string): Promise<Key | undefined> {
  return (await access.admit(`Bearer ${secret}`, { ip: '192.0.2.1', operation: 'listPets' })).key
}

/** Counts a request with an unknown secret. */
async function takeOne(office: OfficeOfOperator, key: Key): Promise<void> {
  const find = office.store.requests.findKey
  office.store.requests.findKey = () => key
  await office.access.admit(`Bearer ${SECRET}`, { ip: '192.0.2.1', operation: 'listPets' })
  office.store.requests.findKey = find
}
