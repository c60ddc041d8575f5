/** `pets keys` and `pets set-status` as commands, and what a mistake in their use gets. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { isWellFormedSecret } from '../../src/domain/keys.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('pets keys', { concurrency: 2 }, () => {
  const folder = temporaryFolder()
  let files = 0
  const newDatabase = () => {
    files += 1
    return `sqlite:${folder}/${files}.db`
  }
  const json = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string | number>)

  it('create shows a key once: alone on stdout, or in one JSON object (O7)', async () => {
    const database = newDatabase()
    const plain = await pets(['keys', 'create', '--create', '--plan', 'pro', '--database', database])
    assert.equal(plain.code, 0, plain.stderr)
    assert(isWellFormedSecret(plain.stdout.trim()))
    assert.match(plain.stderr, /shown only now/)
    const { stdout } = await pets([
      'keys',
      'create',
      '--create',
      '--plan',
      'business',
      '--label',
      'Shelter “É”',
      '--expires',
      '2999-01-31',
      '--json',
      '--database',
      database,
    ])
    const [made] = json(stdout)
    assert(isWellFormedSecret(String(made?.key)))
    assert.equal(made?.plan, 'business')
    assert.equal(made?.label, 'Shelter “É”')
    assert.equal(made?.expiresAt, '2999-01-31T23:59:59.999Z')
    const list = await pets(['keys', 'list', '--json', '--database', database])
    assert.equal(json(list.stdout).length, 2)
    const table = await pets(['keys', 'list', '--database', database])
    for (const text of [list.stdout, table.stdout]) {
      assert(!text.includes(plain.stdout.trim().slice(5)))
      assert(!text.includes(String(made?.key).slice(5)))
      assert(text.includes('Shelter “É”'))
    }
    assert.match(table.stdout, /^ID +PLAN +PER MINUTE +PER DAY +STATE/)
  })

  it('each plan has its limits, an Enterprise key its own (R14)', async () => {
    const database = newDatabase()
    for (const [args, perMinute, perDay] of [
      [['free'], 60, 1_000],
      [['pro'], 300, 10_000],
      [['business'], 1_000, 100_000],
      [['enterprise', '--per-minute', '5', '--per-day', '7'], 5, 7],
      [
        ['enterprise', '--per-minute', '9007199254740991', '--per-day', '9007199254740991'],
        Number.MAX_SAFE_INTEGER,
        Number.MAX_SAFE_INTEGER,
      ],
    ] as const) {
      const [made] = json(
        (await pets(['keys', 'create', '--create', '--json', '--database', database, '--plan', ...args])).stdout,
      )
      assert.deepEqual([made?.perMinute, made?.perDay], [perMinute, perDay])
    }
  })

  it('revoke and rotate report what they did, and what they could not do', async () => {
    const database = newDatabase()
    const create = async () =>
      json((await pets(['keys', 'create', '--create', '--plan', 'free', '--json', '--database', database])).stdout)[0]
    const first = await create()
    const rotated = json(
      (await pets(['keys', 'rotate', String(first?.id), '--overlap', '60', '--json', '--database', database])).stdout,
    )[0]
    assert.notEqual(rotated?.key, first?.key)
    assert(isWellFormedSecret(String(rotated?.key)))
    const revoked = await pets(['keys', 'revoke', String(rotated?.id), '--database', database])
    assert.equal(revoked.stdout, `Key ${rotated?.id} is revoked.\n`)
    const states = json((await pets(['keys', 'list', '--json', '--database', database])).stdout)
    assert.deepEqual(
      states.map(({ id, state }) => [id, state]).sort(),
      [
        [first?.id, 'active'],
        [rotated?.id, 'revoked'],
      ].sort(),
    )
    for (const args of [
      ['revoke', 'key_none'],
      ['rotate', 'key_none'],
      ['rotate', String(rotated?.id)],
    ]) {
      const { code, stderr, stdout } = await pets(['keys', ...args, '--database', database])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^[A-Z].*\.\n$/, 'one sentence')
    }
  })

  it('rotate says until when the old key works; a key that has a successor needs --again', async () => {
    const database = newDatabase()
    const run = (...args: string[]) => pets(['keys', ...args, '--database', database])
    const [first] = json((await run('create', '--create', '--plan', 'free', '--json')).stdout)
    const id = String(first?.id)
    const rotated = await run('rotate', id)
    assert.equal(rotated.code, 0)
    assert(isWellFormedSecret(rotated.stdout.trim()), 'stdout holds the key alone')
    const until = /^The old key key_\w+ works until (\S+)\.$/m.exec(rotated.stderr)?.[1] ?? ''
    assert(Math.abs(Date.parse(until) - Date.now() - 3_600_000) < 60_000, rotated.stderr)
    const successor = String(json((await run('list', '--json')).stdout)[1]?.id)
    const refused = await run('rotate', id)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, new RegExp(`key ${id} was already replaced by ${successor} .* --again`))
    const [again] = json((await run('rotate', id, '--again', '--json')).stdout)
    assert.deepEqual([again?.oldUntilAt, again?.expiresAt], [until, undefined])
  })

  it('labels of earlier versions are shown without their control characters', async () => {
    const database = newDatabase()
    await pets(['keys', 'create', '--create', '--plan', 'free', '--label', 'old', '--database', database])
    const file = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 5_000 })
    file.prepare('UPDATE keys SET label = ?').run('a\x1b[2J\nkey_b\x9b\u202e')
    file.close()
    const table = await pets(['keys', 'list', '--database', database])
    assert.match(table.stdout, /a\\u\{1b\}\[2J\\u\{a\}key_b\\u\{9b\}\\u\{202e\}\n$/)
    const { stdout } = await pets(['keys', 'list', '--json', '--database', database])
    for (const harmful of ['\x1b', '\x9b', '\u202e']) assert(!stdout.includes(harmful))
    assert.equal(json(stdout)[0]?.label, 'a\x1b[2J\nkey_b\x9b\u202e')
  })

  it('wrong usage exits 2 with a sentence on stderr and does nothing', async () => {
    const database = newDatabase()
    const wrong: string[][] = [
      [],
      ['nonsense'],
      ['keys', 'nonsense'],
      ['keys', 'create'],
      ['keys', 'create', '--create', '--plan', 'gold'],
      ['keys', 'create', '--create', '--plan', 'free', '--per-minute', '5', '--per-day', '5'],
      ['keys', 'create', '--create', '--plan', 'enterprise'],
      ['keys', 'create', '--create', '--plan', 'enterprise', '--per-minute', '5'],
      ['keys', 'create', '--create', '--plan', 'enterprise', '--per-minute', '0', '--per-day', '5'],
      ['keys', 'create', '--create', '--plan', 'enterprise', '--per-minute', '5', '--per-day', '9007199254740992'],
      ['keys', 'create', '--create', '--plan', 'free', '--label', ''],
      ['keys', 'create', '--create', '--plan', 'free', '--label', 'a\x1b[31mb'],
      ['keys', 'create', '--create', '--plan', 'free', '--label', 'x'.repeat(201)],
      ['keys', 'create', '--create', '--plan', 'free', '--expires', 'tomorrow'],
      ['keys', 'create', '--create', '--plan', 'free', '--expires', '2999-02-31'],
      ['keys', 'create', '--create', '--plan', 'free', '--expires', '2999-01-01T10:00'],
      ['keys', 'create', '--create', '--plan', 'free', 'more'],
      ['keys', 'revoke'],
      ['keys', 'rotate', 'key_1', '--overlap', '-5'],
      ['set-status', '7'],
      ['set-status', '7', 'Sold'],
      ['set-status', '07', 'sold'],
      ['import'],
      ['export', '--format', 'xml'],
      ['export', '--nonsense'],
      ['copy', '--from', 'postgres://x/y', '--to', 'postgres://x/y'],
      ['copy', '--from', 'sqlite:pets.db', '--to', 'sqlite:./pets.db'],
    ]
    const results = await Promise.all(wrong.map((args) => pets(args, { env: { PETS_DATABASE: database } })))
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      assert.equal(code, 2, `${wrong[index]?.join(' ')}: ${stderr}`)
      assert.equal(stdout, '')
      assert.notEqual(stderr, '')
      assert.doesNotMatch(stderr, /\n\s+at /)
      assert(!stderr.includes('\x1b'))
    }
    const { stdout } = await pets(['keys', 'list', '--json', '--database', database])
    assert.equal(stdout, '')
  })

  it('alone lists; a key in the place of an id is not repeated, and an unknown id is told wherever one is named', async () => {
    const database = newDatabase()
    const run = (...args: string[]) => pets([...args, '--database', database])
    const { stdout } = await run('keys', 'create', '--create', '--plan', 'free', '--label', 'Shelter', '--json')
    const [{ id, key } = {}] = json(stdout)
    assert.match((await run('keys')).stdout, /Shelter/)
    for (const args of [['keys', 'show'], ['usage'], ['journal', '--key']]) {
      const { code, stderr } = await run(...args, String(key))
      assert.deepEqual(
        [code, stderr],
        [1, 'This is a key, not the id of one; `pets keys list` shows the ids.\n'],
        args.join(' '),
      )
      assert.match((await run(...args, 'key_nobody')).stderr, /^There is no key key_nobody;/)
    }
    assert.equal((await run('keys', 'edit', String(id), '--label', '')).code, 0)
    assert.match((await run('keys', 'show', String(id))).stdout, /^Label +-$/m)
  })
})
