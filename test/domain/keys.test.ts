/** API keys: their form and checksum, that only a hash is kept, expiry, revocation and rotation (R13, O7). */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { crc32 as crc32OfZlib } from 'node:zlib'
import fc from 'fast-check'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { Access } from '../../src/domain/access.ts'
import {
  AlreadyRotated,
  crc32,
  hashSecret,
  issueKey,
  isWellFormedSecret,
  makeSecret,
  rotateKey,
} from '../../src/domain/keys.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import { SessionEnded } from '../../src/store/people.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/store.ts'
import type { RequestStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { authorAt, WHOLE_JOURNAL } from '../support/store.ts'
import { clockAt, patientClock } from '../support/time/clock.ts'

const START_MS = Date.UTC(2026, 10, 21, 12)
const FREE = { plan: 'free', custom: undefined, label: 'shelter', expiresAtMs: undefined } as const

describe('the form of a key (O7)', () => {
  it('is a prefix, 256 random bits and a checksum, in text that needs no quoting', () => {
    const secret = makeSecret(randomBytes)
    assert.match(secret, /^pets_[A-Za-z0-9_-]{48}$/)
    assert(isWellFormedSecret(secret))
    assert.notEqual(makeSecret(randomBytes), secret)
    const bits = Buffer.from(secret.slice(5), 'base64url').subarray(0, 32)
    const again = makeSecret(() => bits)
    assert.equal(again, secret, 'its random bytes make up all of it')
  })

  it('its checksum is the CRC-32 that zlib computes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => crc32(bytes) === crc32OfZlib(bytes)))
  })

  it('any single character mistyped, omitted, doubled or swapped is detected', () => {
    const secret = makeSecret(randomBytes)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
    for (let at = 0; at < secret.length; at += 1) {
      for (const letter of alphabet) {
        const typed = secret.slice(0, at) + letter + secret.slice(at + 1)
        assert.equal(isWellFormedSecret(typed), typed === secret)
      }
      assert(!isWellFormedSecret(secret.slice(0, at) + secret.slice(at + 1)))
      assert(!isWellFormedSecret(secret.slice(0, at) + secret[at] + secret.slice(at)))
      const swapped = secret.slice(0, at) + (secret[at + 1] ?? '') + secret[at] + secret.slice(at + 2)
      assert.equal(isWellFormedSecret(swapped), swapped === secret)
    }
  })

  it('no other text is accepted', () => {
    fc.assert(fc.property(fc.string(), (text) => assert(!isWellFormedSecret(text))))
    fc.assert(fc.property(fc.stringMatching(/^pets_[A-Za-z0-9_-]{48}$/), (text) => assert(!isWellFormedSecret(text))))
  })
})

describe('keys in the store', () => {
  const folder = temporaryFolder()
  let store: SqliteStore
  let access: Access
  let nowMs = START_MS
  const clock = clockAt(() => nowMs)
  const issuer = () => ({ store, clock, randomBytes, who: 'a test' })
  const accessBy = (requests: RequestStore) => {
    const ledger = new LedgerBuffer({ store, clock })
    const counters = new MemoryCounters(clock)
    const seen = { keys: store.keys, requests }
    return new Access({ store: seen, counters, ledger, clock, ban: undefined, anonymousPerMinute: 1_000 })
  }
  const enter = async (secret: string) => access.admit(`Bearer ${secret}`, { ip: '192.0.2.1', operation: 'listPets' })

  before(async () => {
    store = await openSqlite(`${folder}/pets.db`, { serving: true, clock: patientClock })
    access = accessBy(store.requests)
  })
  after(async () => {
    await access.close()
    await store.close()
  })

  it('only the SHA-256 of a key is anywhere on the disk', async () => {
    const { secret } = await issueKey(issuer(), FREE)
    const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`))
    const expected = createHash('sha256').update(secret).digest('base64url')
    assert.equal(hashSecret(secret), expected)
    assert(files.some((bytes) => bytes.includes(expected)))
    for (const bytes of files) {
      assert(!bytes.includes(secret))
      assert(!bytes.includes(secret.slice(5, 20)))
      assert(!bytes.includes(Buffer.from(secret.slice(5), 'base64url').subarray(0, 16)))
    }
  })

  it('a mistyped key is refused without a database look-up', async () => {
    const { secret } = await issueKey(issuer(), FREE)
    let asked = 0
    const findKey: RequestStore['findKey'] = (hash) => {
      asked += 1
      return store.requests.findKey(hash)
    }
    const watched = accessBy({ ...store.requests, findKey })
    const typo = secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21)
    const planOf = async (text: string) =>
      (await watched.admit(`Bearer ${text}`, { ip: '192.0.2.9', operation: 'listPets' })).key?.plan
    for (const text of [typo, 'x', secret.slice(0, -1), '']) assert.equal(await planOf(text), undefined)
    assert.equal(asked, 0)
    assert.equal(await planOf(secret), 'free')
    assert.equal(asked, 1)
    await watched.close()
  })

  it('a revoked key is refused in the very next request, also when another process revoked it', async () => {
    const other = await openSqlite(`${folder}/pets.db`, { serving: false, clock: patientClock })
    for (const by of [store, other]) {
      const { secret, key } = await issueKey(issuer(), FREE)
      assert((await enter(secret)).key)
      await new Promise((resolve) => setImmediate(resolve))
      assert(await by.keys.revoke(key.id, authorAt(nowMs)))
      assert.equal((await enter(secret)).key, undefined)
    }
    await other.close()
  })

  it('a replacement key expires as its key would have, not after the overlap', async () => {
    const expiresAtMs = START_MS + 1_000_000
    const { key } = await issueKey(issuer(), { ...FREE, expiresAtMs })
    const first = await rotateKey(issuer(), key.id, { overlapMs: 10_000 })
    assert.deepEqual([first.oldUntilMs, first.key.expiresAtMs], [START_MS + 10_000, expiresAtMs])
    await assert.rejects(
      rotateKey(issuer(), key.id, { overlapMs: 60_000 }),
      (error) => error instanceof AlreadyRotated && error.successor.id === first.key.id,
    )
    const again = await rotateKey(issuer(), key.id, { overlapMs: 60_000, again: true })
    assert.deepEqual([again.oldUntilMs, again.key.expiresAtMs], [START_MS + 10_000, expiresAtMs])
    const second = await rotateKey(issuer(), again.key.id, { overlapMs: 5_000 })
    assert.deepEqual([second.oldUntilMs, second.key.expiresAtMs], [START_MS + 5_000, expiresAtMs])
    const unlimited = await issueKey(issuer(), FREE)
    await rotateKey(issuer(), unlimited.key.id, { overlapMs: 10_000 })
    nowMs = START_MS - 5_000 // the clock has stepped back
    const last = await rotateKey(issuer(), unlimited.key.id, { overlapMs: 10_000, again: true })
    assert.equal(last.key.expiresAtMs, undefined)
    assert.equal((await store.keys.ofLineage(unlimited.key.lineage))[0]?.id, last.key.id)
    nowMs = START_MS
  })

  it('a replacement key has its own id and has never been used (O7)', async () => {
    const { key, secret } = await issueKey(issuer(), FREE)
    assert.match(key.id, /^key_[0-9a-f]{12}$/)
    await store.requests.markKeysUsed(new Map([[key.id, START_MS]]))
    const { key: successor, secret: other } = await rotateKey(issuer(), key.id, { overlapMs: 0 })
    assert.match(successor.id, /^key_[0-9a-f]{12}$/)
    assert.deepEqual(await store.keys.get(successor.id), {
      ...key,
      id: successor.id,
      createdAtMs: key.createdAtMs + 1,
      lastUsedAtMs: undefined,
    })
    assert.deepEqual([key.lineage, key.createdAtMs], [key.id, START_MS])
    assert.equal((await enter(secret)).key, undefined)
    assert((await enter(other)).key)
  })

  it('the journal says who issued and replaced a key, in which session and when', async () => {
    const session = 'a session'
    const people = { ...issuer(), who: 'Anna' }
    const { key } = await issueKey(people, FREE)
    const { key: successor } = await rotateKey(people, key.id, { overlapMs: 0 })
    const entries = (await store.records.journal({ ...WHOLE_JOURNAL, limit: 2 })).map(({ who, atMs }) => [who, atMs])
    assert.deepEqual(entries, [
      ['Anna', START_MS],
      ['Anna', START_MS],
    ])
    const before = await store.keys.count()
    await assert.rejects(issueKey({ ...people, session }, FREE), SessionEnded)
    await assert.rejects(rotateKey({ ...people, session }, successor.id, { overlapMs: 0 }), SessionEnded)
    assert.equal(await store.keys.count(), before)
  })

  it('a label is 1 to 200 printable characters', async () => {
    for (const label of ['Śhelter “Ünïted”', 'پت‌شاپ', '👩‍👧 home', 'a', 'x'.repeat(200), '🐈'.repeat(200)]) {
      assert.equal((await issueKey(issuer(), { ...FREE, label })).key.label, label)
    }
    const message = 'a label is 1 to 200 printable characters, without line breaks and control characters'
    const refusal = { name: 'RangeError', message }
    for (const label of [' ', 'x'.repeat(201), 'a\nb', '\x1b', '\x9b2J', 'a\u202eb', 'a\u2028b', '\ud800', '\ue000']) {
      await assert.rejects(issueKey(issuer(), { ...FREE, label }), refusal, JSON.stringify(label))
    }
  })
})
