/** `pets keys`, and what a mistake in the use of commands gets. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { isWellFormedSecret } from '../../src/domain/keys.ts'
import { assertDone, assertRefused, commandsOn, linesOf } from '../support/commands/commands.ts'
import { newDatabase } from '../support/folder.ts'

describe('pets keys', { concurrency: 2 }, () => {
  it('create shows a key once: alone on stdout, or in one JSON object (O7)', async () => {
    const { run, told, key } = commandsOn(newDatabase())
    const plain = assertDone(await run('keys', 'create', '--create', '--plan', 'pro'))
    assert(isWellFormedSecret(plain.stdout.trim()))
    assert.match(plain.stderr, /shown only now/)
    const made = await key('business', '--label', 'Shelter “É”', '--expires', '2999-01-31')
    const terms = { plan: 'business', label: 'Shelter “É”', expiresAt: '2999-01-31T23:59:59.999Z' }
    assert.partialDeepStrictEqual(made, terms)
    assert(isWellFormedSecret(made.key))
    assert.equal((await told('keys', 'list')).length, 2)
    const table = await run('keys', 'list')
    for (const text of [(await run('keys', 'list', '--json')).stdout, table.stdout]) {
      assert(!text.includes(plain.stdout.trim().slice(5)))
      assert(!text.includes(made.key.slice(5)))
      assert(text.includes('Shelter “É”'))
    }
    assert.match(table.stdout, /^ID +PLAN +PER MINUTE +PER DAY +STATE/)
  })

  it('revoke and rotate report what they did, and what they could not do', async () => {
    const { run, told, key } = commandsOn(newDatabase())
    const first = await key('free')
    const [rotated = { id: '', key: '' }] = await told('keys', 'rotate', first.id, '--overlap', '60')
    const { id = '' } = rotated
    assert.notEqual(rotated.key, first.key)
    assert(isWellFormedSecret(rotated.key ?? ''))
    assert.equal((await run('keys', 'revoke', id)).stdout, `Key ${id} is revoked.\n`)
    const states = (await told('keys', 'list')).map((one) => [one.id, one.state])
    assert.deepEqual(
      new Map(states as [string, string][]),
      new Map([
        [first.id, 'active'],
        [id, 'revoked'],
      ]),
    )
    for (const args of [
      ['revoke', 'key_none'],
      ['rotate', 'key_none'],
      ['rotate', id],
    ]) {
      assertRefused(await run('keys', ...args), /^[A-Z].*\.\n$/)
    }
  })

  it('rotate says until when the old key works; a key whose successor is not revoked needs --again', async () => {
    const { run, told, key } = commandsOn(newDatabase())
    const { id } = await key('free')
    const beforeMs = Date.now()
    const rotated = assertDone(await run('keys', 'rotate', id))
    const afterMs = Date.now()
    assert(isWellFormedSecret(rotated.stdout.trim()), 'stdout holds the key alone')
    const until = /^The old key key_\w+ works until (\S+)\.$/m.exec(rotated.stderr)?.[1] ?? ''
    const lastsFromMs = Date.parse(until) - 3_600_000
    assert(lastsFromMs > beforeMs - 60_000 && lastsFromMs <= afterMs, rotated.stderr)
    const successor = (await told('keys', 'list'))[1]?.id
    const sentence = new RegExp(`key ${id} was already replaced by ${successor} .* --again`)
    assertRefused(await run('keys', 'rotate', id), sentence)
    const [again] = await told('keys', 'rotate', id, '--again')
    assert.deepEqual([again?.oldUntilAt, again?.expiresAt], [until, undefined])
    assert.match((await run('keys', 'show', id)).stdout, new RegExp(`^Replaced by +${again?.id}$`, 'm'))
    await told('keys', 'revoke', again?.id ?? '', '--yes')
    assert.doesNotMatch((await run('keys', 'show', id)).stdout, /Replaced by/)
    await told('keys', 'rotate', id)
  })

  it('labels of earlier versions are shown without their control characters', async () => {
    const database = newDatabase()
    const { run, key } = commandsOn(database)
    await key('free', '--label', 'old')
    const file = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 5_000 })
    file.prepare('UPDATE keys SET label = ?').run('a\x1b[2J\nkey_b\x9b\u202e')
    file.close()
    const table = await run('keys', 'list')
    assert.match(table.stdout, /a\\u\{1b\}\[2J\\u\{a\}key_b\\u\{9b\}\\u\{202e\}\n$/)
    const { stdout } = await run('keys', 'list', '--json')
    for (const harmful of ['\x1b', '\x9b', '\u202e']) assert(!stdout.includes(harmful))
    assert.equal(linesOf<{ label: string }>(stdout)[0]?.label, 'a\x1b[2J\nkey_b\x9b\u202e')
  })

  it('alone lists; a key in the place of an id is not repeated, and an unknown id is told wherever one is named', async () => {
    const { run, key: newKey } = commandsOn(newDatabase())
    const { id, key } = await newKey('free', '--label', 'Shelter')
    assert.match((await run('keys')).stdout, /Shelter/)
    for (const args of [['keys', 'show'], ['usage'], ['journal', '--key']]) {
      assertRefused(await run(...args, key), /^This is a key, not the id of one; `pets keys list` shows the ids\.\n$/)
      assert.match((await run(...args, 'key_nobody')).stderr, /^There is no key key_nobody;/)
    }
    assert.equal((await run('keys', 'edit', id, '--label', '')).code, 0)
    assert.match((await run('keys', 'show', id)).stdout, /^Label +-$/m)
  })
})
