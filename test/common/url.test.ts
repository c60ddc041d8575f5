/** Of the address of a database or a counter store only scheme, host, port and database name are printed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { describeUrl } from '../../src/common/url.ts'
import { pets } from '../support/commands/commands.ts'
import { runs } from '../support/draws.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const SECRET = 'Xk9Qz7'

describe('the printed form of an address', () => {
  it('is its scheme, host, port and database name', () => {
    for (const [url, shown] of [
      ['sqlite:data/pets.db', 'sqlite:data/pets.db'],
      ['postgres://db.example/pets', 'postgres://db.example/pets'],
      [`postgresql://u:${SECRET}@db.example:5433/pets`, 'postgresql://db.example:5433/pets'],
      [`postgres://u:a:${SECRET}@h/pets`, 'postgres://h/pets'],
      [`postgres://u:a@${SECRET}@h/pets`, 'postgres://h/pets'],
      [`postgres://u:%2F${SECRET}%40@h/pets`, 'postgres://h/pets'],
      [`postgres://h/pets?user=u&password=${SECRET}&sslmode=require`, 'postgres://h/pets'],
      [`postgres://h/pets?password=a@${SECRET}`, 'postgres://h/pets'],
      [
        `postgres:///pets?host=/run/postgresql&port=5433&password=${SECRET}`,
        'postgres://%2Frun%2Fpostgresql:5433/pets',
      ],
      [`postgres://u:${SECRET}@[::1]:5432/pets`, 'postgres://[::1]:5432/pets'],
      [`redis://:${SECRET}@h:6379/2`, 'redis://h:6379/2'],
      [`rediss://u:a@${SECRET}@h`, 'rediss://h'],
      [`redis://:${SECRET}@a:1,redis://:${SECRET}@b:2`, 'redis://a:1,redis://b:2'],
    ] as const) {
      assert.equal(describeUrl(url), shown)
    }
  })

  it('is the scheme alone where a password could pass for something else', () => {
    for (const [url, shown] of [
      [`postgres://u:${SECRET}/x@h/pets`, 'postgres://…'],
      [`postgres://u:12/${SECRET}@h/pets`, 'postgres://…'],
      [`postgres://u:12?${SECRET}@h/pets`, 'postgres://…'],
      [`postgres://u:12?x=${SECRET}@h/pets`, 'postgres://…'],
      [`postgres://u:12#${SECRET}@h/pets`, 'postgres://…'],
      [`redis://u:12,${SECRET}@h`, 'redis://…'],
      [`redis://u:12/${SECRET}@h`, 'redis://…'],
      [`mysql://u:${SECRET}@h/pets`, '…'],
      [`u:${SECRET}@h`, '…'],
      [`postgres:u:${SECRET}@h`, '…'],
    ] as const) {
      assert.equal(describeUrl(url), shown)
    }
  })

  it('never holds the password, wherever it stands and whatever is around it', () => {
    const odd = fc.stringMatching(/^[a-z0-9:@/?#%&=,.+ \\[\]-]{0,6}$/)
    fc.assert(
      fc.property(
        fc.constantFrom('postgres', 'postgresql', 'redis', 'rediss', 'mysql', ''),
        fc.constantFrom(':', '/', ':/', '://', ':///'),
        fc.tuple(odd, odd, odd, odd),
        fc.constantFrom('@h/pets', '@h:5432', '@h', '@[::1]:1/pets?sslmode=require'),
        (scheme, slashes, [user, before, after, more], rest) => {
          const url = `${scheme}${slashes}${user}:${before}${SECRET}${after}${rest}${more}`
          assert(!describeUrl(url).toLowerCase().includes(SECRET.toLowerCase()), url)
        },
      ),
      { numRuns: runs(4_000) },
    )
  })
})

it('messages and logs do not repeat the password of an unusable address', async () => {
  const database = `sqlite:${temporaryFolder()}/pets.db`
  const results = await Promise.all([
    ...[
      `postgres://user:${SECRET}@127.0.0.1:1/pets`,
      `postgres://user:a:${SECRET}@127.0.0.1:1/pets`,
      `postgres://user:a@${SECRET}@127.0.0.1:1/pets`,
      `postgres://127.0.0.1:1/pets?password=${SECRET}`,
      `postgres://user:a/${SECRET}@127.0.0.1:1/pets`,
      `postgres://user:1/${SECRET}@127.0.0.1:1/pets`,
      `postgres://user:%zz${SECRET}@127.0.0.1:1/pets`,
      `mysql://user:${SECRET}@127.0.0.1/pets`,
      `user:${SECRET}@127.0.0.1`,
    ].map((url) => pets(['keys', 'list'], { env: { PETS_DATABASE: url } })),
    ...[`redis://u:1/${SECRET}@127.0.0.1:1`, `redis://u:a,${SECRET}@127.0.0.1:1`, `http://u:${SECRET}@h`].map((url) =>
      pets(['serve', '--port', '0', '--database', database], { env: { PETS_COUNTERS: url } }),
    ),
  ])
  await using service = await startService({
    operatorPort: 'none',
    args: ['--counters', `redis://user:${SECRET}@127.0.0.1:1`],
  })
  await service.stop()
  assert.match(service.output(), /the shared counters do not work/)
  assert.doesNotMatch(service.output(), new RegExp(SECRET, 'i'))
  for (const { code, stdout, stderr } of results) {
    assert.notEqual(code, 0)
    assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(SECRET, 'i'))
    assert.match(stderr, /^[^\n]+\n$/, 'one sentence')
  }
})
