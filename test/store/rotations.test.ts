/**
 * What a rotation of a key rests on is looked at again when it is stored, on every engine: showing the key may take
 * long (O7).
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import { AlreadyRotated, issueKey, rotateKey } from '../../src/domain/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { authorAt, WHOLE_JOURNAL } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'
import { storeEngines } from './engines.ts'

const FREE = { plan: 'free', custom: undefined, label: '', expiresAtMs: undefined } as const

onEachEngine(
  (name) => `a rotation on ${name}`,
  (engine) => {
    let store: Store
    let nowMs = Date.UTC(2026, 10, 22)
    before(async () => {
      store = await openStore(await engine.createDatabase(), { serving: false, clock: systemClock })
    })
    after(async () => {
      await store?.close()
    })

    /** `meanwhile` happens while the new key is shown. */
    const issuer = (meanwhile: () => unknown = () => {}) => ({
      ...{ store, clock: clockAt(() => nowMs), randomBytes, who: 'a test' },
      show: async () => {
        await meanwhile()
      },
    })
    const rotate = (id: string, meanwhile?: () => unknown, again = false) =>
      rotateKey(issuer(meanwhile), id, { overlapMs: 60_000, again })
    const active = async (lineage: string) =>
      (await store.keys.list({ limit: 1_000 })).filter(
        (key) => key.lineage === lineage && key.revokedAtMs === undefined,
      )

    it('stores no key if the one to be replaced is revoked while the new one is shown', async () => {
      const { key } = await issueKey(issuer(), FREE)
      const revoked = rotate(key.id, () => store.keys.revoke(key.id, authorAt(nowMs)))
      await assert.rejects(revoked, /is revoked or has expired/)
      assert.deepEqual(await active(key.lineage), [])
      const acts = await store.records.journal({ ...WHOLE_JOURNAL, keyId: key.id })
      assert.deepEqual(
        acts.map(({ act }) => act),
        ['revoke key', 'issue key'],
      )
    })

    it('stores no key if both keys of the lineage are revoked meanwhile, also when one more is asked for', async () => {
      const { key: first } = await issueKey(issuer(), FREE)
      const { key: second } = await rotate(first.id)
      const revokeBoth = async () => {
        for (const { id } of [first, second]) await store.keys.revoke(id, authorAt(nowMs))
      }
      await assert.rejects(rotate(first.id, revokeBoth, true), /is revoked or has expired/)
      assert.deepEqual(await active(first.lineage), [])
    })

    it('stores no key if the one to be replaced expires meanwhile', async () => {
      const { key } = await issueKey(issuer(), { ...FREE, expiresAtMs: nowMs + 1_000 })
      const expired = rotate(key.id, () => {
        nowMs += 2_000
      })
      await assert.rejects(expired, /is revoked or has expired/)
      assert.equal((await active(key.lineage)).length, 1)
    })

    it('of two at once one replaces the key, and the other is told its successor', async () => {
      const { key } = await issueKey(issuer(), FREE)
      let successor = ''
      const second = rotate(key.id, async () => {
        successor = (await rotate(key.id)).key.id
      })
      await assert.rejects(second, (error) => error instanceof AlreadyRotated && error.successor.id === successor)
      assert.equal((await active(key.lineage)).length, 2)
    })
  },
  storeEngines,
)
