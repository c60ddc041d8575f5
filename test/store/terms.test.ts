/** Terms, bans and replacements of keys, also when several people change them at the same time (R14, R17, O7). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { AlreadyRotated, editKey, hashSecret, issueKey, makeKey, rotateKey, storeKey } from '../../src/domain/keys.ts'
import { banOf } from '../../src/rules/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { withMeanwhile } from '../support/meanwhile.ts'
import { authorAt, WHOLE_JOURNAL } from '../support/store.ts'
import { clockAt, patientClock } from '../support/time/clock.ts'
import { onEachEngine } from './on-each-engine.ts'

const NOW_MS = Date.UTC(2026, 10, 23)
const FREE = { plan: 'free', custom: undefined, label: 'Tierheim', expiresAtMs: undefined } as const
const POLICY = { refusals: 3, withinMs: 1_000, window: 'minute', limit: 60 } as const
const BAN = { ...POLICY, atMs: NOW_MS, untilMs: NOW_MS + 60_000 }
const LATER = { ...BAN, atMs: NOW_MS + 1, untilMs: NOW_MS + 60_001 }

onEachEngine(
  (name) => `the terms, bans and rotations of keys on ${name}`,
  (engine) => {
    let store: Store
    before(async () => {
      store = await openStore(await engine.createDatabase(), { serving: false, clock: patientClock })
    })
    after(async () => {
      await store?.close()
    })
    const issuer = () => ({ store, clock: clockAt(() => NOW_MS), randomBytes, who: 'a test' })
    /** `meanwhile` happens before the new key is stored. */
    const rotate = (id: string, meanwhile: () => unknown = () => {}, again = false) => {
      const keys = withMeanwhile(store.keys, 'replace', meanwhile)
      return rotateKey({ ...issuer(), store: { ...store, keys } }, id, { overlapMs: 60_000, again })
    }
    const active = async (lineage: string) =>
      (await store.keys.list({ limit: 1_000 })).filter(
        (key) => key.lineage === lineage && key.revokedAtMs === undefined,
      )
    const entries = async (keyId: string) =>
      (await store.records.journal({ ...WHOLE_JOURNAL, keyId })).map(({ act, from, to }) => [act, from, to])
    const unban = async (id: string) => store.keys.unban(id, authorAt(NOW_MS))

    it('a ban is noted once for all keys of the lineage, counted, and kept through a rotation', async () => {
      const { key } = await issueKey(issuer(), FREE)
      const { key: second } = await rotate(key.id)
      for (const ban of [BAN, BAN]) await store.keys.noteBan(key, ban)
      for (const { id } of [key, second]) assert.deepEqual((await store.keys.get(id))?.ban, { ...BAN, count: 1 })
      const to = '{"banned":"2026-11-23T00:00:00.000Z","until":"2026-11-23T00:01:00.000Z"}'
      const acts = (await entries(key.id)).filter(([act]) => act === 'ban key')
      assert.deepEqual(acts, [['ban key', undefined, to]])
      const { key: third } = await rotate(second.id, () => store.keys.noteBan(key, LATER))
      assert.deepEqual((await store.keys.get(third.id))?.ban, { ...LATER, count: 2 })
    })

    it('a ban of a lineage is lifted once, and recorded in the journal', async () => {
      const { key } = await issueKey(issuer(), FREE)
      const { key: second } = await rotate(key.id)
      assert.equal(await unban(key.id), 'not banned')
      await store.keys.noteBan(key, BAN)
      assert.equal(await unban(second.id), 'unbanned')
      assert.equal(await unban(key.id), 'not banned')
      assert.equal(await unban('key_none'), 'no such key')
      const lifted = await store.keys.get(key.id)
      assert.equal(lifted?.liftedUntilMs, BAN.untilMs)
      assert.equal(lifted && banOf(lifted, NOW_MS), undefined)
      const from = '{"banned":"2026-11-23T00:00:00.000Z","until":"2026-11-23T00:01:00.000Z"}'
      assert.deepEqual((await entries(second.id))[0], ['unban key', from, undefined])
      await store.keys.noteBan(key, LATER)
      const again = await store.keys.get(key.id)
      assert.deepEqual(again && banOf(again, NOW_MS), { ...LATER, count: 2 })
      assert.equal(again && banOf(again, LATER.untilMs), undefined)
    })

    it('banned keys in force are found, each lineage by its newest key', async () => {
      const { key } = await issueKey(issuer(), FREE)
      const { key: second } = await rotate(key.id)
      const { key: other } = await issueKey(issuer(), FREE)
      const ours = new Set([key.id, second.id, other.id])
      const found = async (nowMs: number) =>
        new Set((await store.keys.banned(nowMs)).map(({ id }) => id).filter((id) => ours.has(id)))
      await store.keys.noteBan(second, BAN)
      await store.keys.noteBan(other, LATER)
      assert.deepEqual(await found(NOW_MS), new Set([second.id, other.id]))
      assert.deepEqual(await found(BAN.untilMs), new Set([other.id]))
      await unban(second.id)
      assert.deepEqual(await found(NOW_MS), new Set([other.id]))
      await store.keys.revoke(other.id, authorAt(NOW_MS))
      assert.deepEqual(await found(NOW_MS), new Set())
    })

    it('terms change without a new secret, and the journal has what differs', async () => {
      const { key } = await issueKey(issuer(), FREE)
      await editKey(issuer(), key.id, { plan: 'enterprise', perMinute: 7 })
      await editKey(issuer(), key.id, { label: 'Tierheim' })
      const edited = await store.keys.get(key.id)
      assert.deepEqual(edited, { ...key, plan: 'enterprise', perMinute: 7 })
      assert.deepEqual(await entries(key.id), [
        ['edit key', '{"plan":"free","perMinute":60}', '{"plan":"enterprise","perMinute":7}'],
        ['issue key', undefined, '{"plan":"free","perMinute":60,"perDay":1000,"label":"Tierheim"}'],
      ])
      for (const [change, why] of [
        [{ plan: 'pro', perDay: 5 }, /limits of the pro plan are fixed/],
        [{ label: '\n' }, /a label is/],
      ] as const) {
        await assert.rejects(editKey(issuer(), key.id, change), why)
      }
      await store.keys.revoke(key.id, authorAt(NOW_MS))
      await assert.rejects(editKey(issuer(), key.id, { plan: 'pro' }), /is revoked or has expired/)
      assert(edited !== undefined)
      const { key: ending } = await issueKey(issuer(), { ...FREE, expiresAtMs: NOW_MS + 1 })
      for (const [old, atMs] of [
        [edited, NOW_MS],
        [ending, NOW_MS + 1],
      ] as const) {
        assert.ok(!(await store.keys.edit(old, { ...old, label: 'x' }, authorAt(atMs))))
        assert.equal((await store.keys.get(old.id))?.label, 'Tierheim')
      }
    })

    it('a plan of a later version keeps its limits', async () => {
      const { key, secret } = makeKey(issuer(), FREE)
      await storeKey(issuer(), { key: { ...key, plan: 'gold', perMinute: 7 }, secret })
      await editKey(issuer(), key.id, { label: 'Refuge' })
      await assert.rejects(editKey(issuer(), key.id, { perDay: 5 }), /limits of the gold plan are fixed/)
      const { key: next } = await rotate(key.id)
      const gold = { plan: 'gold', perMinute: 7, label: 'Refuge' }
      assert.deepEqual(next, { ...key, ...gold, id: next.id, createdAtMs: NOW_MS + 1 })
      assert.equal((await store.requests.findKey(hashSecret(secret)))?.plan, 'gold')
      assert.deepEqual(new Set((await active(key.id)).map(({ plan }) => plan)), new Set(['gold']))
    })

    it('the later of two simultaneous changes is refused', async () => {
      const { key } = await issueKey(issuer(), FREE)
      const change = (label: string) => store.keys.edit(key, { ...key, label }, authorAt(NOW_MS))
      const racing = rotate(key.id, () => change('first'))
      await assert.rejects(racing, /was changed by someone else in the meantime/)
      assert.ok(!(await change('second')))
      assert.equal((await store.keys.get(key.id))?.label, 'first')
    })

    it('a rotation stores no key if the old key was revoked in the meantime', async () => {
      const { key: first } = await issueKey(issuer(), FREE)
      const { key: second } = await rotate(first.id)
      const { key: other } = await issueKey(issuer(), FREE)
      const revoke = async (...ids: readonly string[]) => {
        for (const id of ids) await store.keys.revoke(id, authorAt(NOW_MS))
      }
      const refusal = /is revoked or has expired/
      await assert.rejects(
        rotate(other.id, () => revoke(other.id)),
        refusal,
      )
      await assert.rejects(
        rotate(first.id, () => revoke(first.id, second.id), true),
        refusal,
      )
      assert.deepEqual([await active(other.lineage), await active(first.lineage)], [[], []])
      const acts = (await entries(other.id)).map(([act]) => act)
      assert.deepEqual(acts, ['revoke key', 'issue key'])
    })

    it('undoing a replacement restores the expiry of the old key', async () => {
      for (const [expiresAtMs, expires] of [
        [undefined, null],
        [NOW_MS + 1_000, '2026-11-23T00:00:01.000Z'],
      ] as const) {
        const { key } = await issueKey(issuer(), { ...FREE, expiresAtMs })
        const { key: unseen, replaced } = await rotateKey(issuer(), key.id, { overlapMs: 0 })
        await store.keys.revoke(unseen.id, authorAt(NOW_MS + 5), replaced)
        assert.deepEqual(await store.keys.get(key.id), key)
        assert.equal((await store.keys.get(unseen.id))?.revokedAtMs, NOW_MS + 5)
        assert.deepEqual((await entries(key.id))[0], ['edit key', undefined, JSON.stringify({ expires })])
      }
    })

    it('only one of two simultaneous rotations replaces the key', async () => {
      const { key } = await issueKey(issuer(), FREE)
      let successor = ''
      const second = rotate(key.id, async () => {
        successor = (await rotate(key.id)).key.id
      })
      await assert.rejects(second, (error) => error instanceof AlreadyRotated && error.successor.id === successor)
      assert.equal((await active(key.lineage)).length, 2)
    })
  },
)
