/** `pets serve` as a process: its options and variables, what it prints and logs, TLS, and when it refuses to start. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, exchange, message, remaining } from '../support/http.ts'
import { pets, type RunningService, startService } from '../support/service.ts'

const folder = temporaryFolder()

const portOf = (service: RunningService) => Number(new URL(service.baseUrl).port)

describe('what serve prints', { concurrency: 2 }, () => {
  it('bare, there is no first key, no page and no operator port but when told', async () => {
    await using service = await startService()
    assert.doesNotMatch(service.output(), /pets_|first API key/)
    const { key } = await service.issueKey()
    for (const path of ['/', '/docs', '/openapi.json', '/metrics', '/readyz']) {
      assertWhole(await call(portOf(service), { path, key }), 404)
    }
  })

  it('the log is JSON by line, and holds no key and no body, whatever happens', async () => {
    await using service = await startService({ args: ['--log-level', 'debug'] })
    const port = portOf(service)
    const { key, id } = await service.issueKey()
    const secret = 'the-name-of-a-cat'
    await call(port, { method: 'POST', key, body: `{"name":"${secret}","categoryId":1}` })
    await call(port, { method: 'POST', key, body: `{"name":"${secret}"` })
    await call(port, { path: `/v1/pets?name=${secret}`, key })
    await call(port, { key: `${key}x` })
    await call(port, { method: 'POST', path: '/v1/store/orders', key, body: secret })
    await exchange(
      port,
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n${secret}`,
    )
    await service.stop()
    const output = service.output()
    assert.doesNotMatch(output, new RegExp(secret))
    assert(!output.includes(key.slice(5)))
    const lines = output.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    assert(
      lines.every(({ level }) => typeof level === 'string'),
      'levels are words',
    )
    assert(
      lines.every(({ time }) => new Date(String(time)).toISOString() === time),
      'times are ISO 8601',
    )
    assert.partialDeepStrictEqual(lines[0], { node: process.version, database: service.database })
    assert.deepEqual([typeof lines[0]?.version, lines[1]?.animals, lines[1]?.keys], ['string', 0, 0])
    const answered = lines.filter(({ msg }) => msg === 'answered')
    assert(answered.length >= 5)
    assert.equal(new Set(answered.map(({ requestId }) => requestId)).size, answered.length, 'each request has an id')
    assert(answered.some(({ keyId, operation, status }) => keyId === id && operation === 'createPet' && status === 201))
  })
})

describe('the options of serve', { concurrency: 2 }, () => {
  it('come from PETS_ variables too, and a flag wins', async () => {
    await using service = await startService({
      env: {
        PETS_ANONYMOUS_PER_MINUTE: '7',
        PETS_BODY_LIMIT: '64',
        PETS_PAGE_LINKS: 'true',
        PETS_CORS_ORIGIN: 'https://a.example,https://b.example',
        PETS_PUBLIC_URL: 'https://pets.example/v1/',
        PETS_TRUST_PROXY: '127.0.0.1',
        PETS_BAN_AFTER: '1',
        PETS_BAN_WINDOW: '60',
        PETS_BAN_FOR: '1000',
        PETS_FIRST_KEY: 'false',
        PETS_DATABASE: `sqlite:${folder}/never.db`,
      },
      args: ['--anonymous-per-minute', '9', '--port', '0'],
    })
    assert.equal(service.baseUrl, 'https://pets.example/v1')
    assert.doesNotMatch(service.output(), /pets_/, 'PETS_FIRST_KEY=false is off')
  })

  it('each does what it says', async () => {
    await using service = await startService({
      args: [
        '--anonymous-per-minute',
        '9',
        '--body-limit',
        '64',
        '--page-links',
        '--cors-origin',
        'https://a.example,https://b.example',
        '--trust-proxy',
        '127.0.0.0/8',
        '--ban-after',
        '2',
        '--ban-window',
        '60',
        '--ban-for',
        '1000',
        '--counters-down',
        'refuse',
      ],
    })
    const port = portOf(service)
    const { key } = await service.issueKey()
    const from = { 'x-forwarded-for': '192.0.2.7', origin: 'https://b.example' }
    const first = await call(port, { headers: from })
    assert.equal(first.headers['x-ratelimit-limit'], '9')
    assert.equal(first.headers['access-control-allow-origin'], 'https://b.example')
    assert.equal(remaining(await call(port, { headers: { 'x-forwarded-for': '192.0.2.8' } })), 8)
    assertWhole(await call(port, { method: 'POST', key, body: `{"name":"${'x'.repeat(64)}","categoryId":1}` }), 413)
    for (let i = 0; i < 2; i += 1) await call(port, { method: 'POST', key, body: '{"name":"x","categoryId":1}' })
    assert.match(String((await call(port, { path: '/v1/pets?limit=1', key })).headers.link), /rel="next"/)
    const { key: small } = await service.issueKey('enterprise', ['--per-minute', '1', '--per-day', '100'])
    const answers = []
    for (let i = 0; i < 4; i += 1) answers.push(await call(port, { key: small }))
    assert(
      answers.some(({ headers }) => Number(headers['retry-after']) > 900),
      'the ban',
    )
  })

  it('a wrong value exits 2 with a sentence, by flag or variable', async () => {
    const wrong: [string, string][] = [
      ['--port', '65536'],
      ['--port', 'http'],
      ['--operator-port', '-1'],
      ['--anonymous-per-minute', '0'],
      ['--body-limit', '1MB'],
      ['--trust-proxy', 'localhost'],
      ['--trust-proxy', '10.0.0.0/33'],
      ['--public-url', 'https://pets.example'],
      ['--public-url', 'pets.example/v1'],
      ['--cors-origin', 'https://a.example/'],
      ['--ban-after', '0'],
      ['--ban-window', '90000'],
      ['--counters-down', 'maybe'],
      ['--log-level', 'loud'],
    ]
    for (const [index, { code, stderr }] of (
      await Promise.all(
        wrong.map(([flag, value]) => pets(['serve', `${flag}=${value}`, '--database', `sqlite:${folder}/wrong.db`])),
      )
    ).entries()) {
      assert.equal(code, 2, `${wrong[index]}: ${stderr}`)
      assert(stderr.includes(wrong[index]?.[0] ?? '?'), stderr)
      assert.doesNotMatch(stderr, /\n\s+at /)
    }
    const { code, stderr } = await pets(['serve'], { env: { PETS_PORT: 'x' } })
    assert.equal(code, 2)
    assert.match(stderr, /PETS_PORT/)
  })

  it('a base address that is an IPv6 one is printed so that it can be used', async () => {
    await using service = await startService({ args: ['--host', '::1', '--operator-host', '::1'] })
    assert.match(service.baseUrl, /^http:\/\/\[::1\]:\d+\/v1$/)
    assert.equal((await fetch(`${service.baseUrl}/pets`)).status, 401)
    assert.match(service.output(), /"operatorUrl":"http:\/\/\[::1\]:\d+"/)
  })
})

describe('TLS', () => {
  it('is served with --tls-cert and --tls-key, and what is no TLS does it no harm', async () => {
    const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'ignore' },
    )
    await using service = await startService({ args: ['--tls-cert', cert, '--tls-key', key] })
    assert.match(service.baseUrl, /^https:/)
    const port = portOf(service)
    assert.equal((await exchange(port, 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n')).length, 0)
    const { key: apiKey } = await service.issueKey()
    const ca = execFileSync('cat', [cert])
    const ask = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(
          { host: '127.0.0.1', port, path, ca, agent: false, headers: { authorization: `Bearer ${apiKey}` } },
          (response) => {
            assert.match(String(response.headers['x-ratelimit-limit']), /^\d+$/)
            response.resume().on('end', () => resolve(response.statusCode))
          },
        )
          .on('error', reject)
          .end()
      })
    assert.equal(await ask('/v1/pets'), 200)
    assert.equal(await ask('/v1/pets?limit=%zz'), 400)

    for (const [args, text] of [
      [['--tls-cert', cert, '--tls-key', `${folder}/none.pem`], /none\.pem given as --tls-key cannot be read/],
      [['--tls-cert', key, '--tls-key', cert], /not a PEM certificate and its private key/],
    ] as const) {
      const { code, stderr } = await pets(['serve', '--port', '0', '--database', `sqlite:${folder}/tls.db`, ...args])
      assert.equal(code, 1)
      assert.match(stderr, text)
      assert.doesNotMatch(stderr, /\n\s+at /)
    }
  })
})

describe('serve refuses to start, in one sentence (exit 1)', { concurrency: 2 }, () => {
  const refused = async (args: string[], text: RegExp) => {
    const { code, stderr } = await pets(['serve', '--port', '0', '--log-level', 'error', ...args])
    assert.equal(code, 1, stderr)
    assert.match(stderr, text)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }

  it('on a port that is in use, the public or the operator’s', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    assert(address !== null && typeof address === 'object')
    const database = ['--database', `sqlite:${folder}/port.db`]
    await refused(
      [...database, '--port', String(address.port)],
      new RegExp(`Port ${address.port} is in use .* another public port with --port`),
    )
    await refused([...database, '--operator-port', String(address.port)], /another operator port with --operator-port/)
    taken.close()
  })

  it('on an address that is not this machine’s', () =>
    refused(
      ['--host', '203.0.113.1', '--database', `sqlite:${folder}/host.db`],
      /address 203\.0\.113\.1 is not one of this machine/,
    ))

  it('beside another serve on the same file, also by another name; and starts when that one has ended', async () => {
    const database = `sqlite:${folder}/one.db`
    const first = await startService({ database })
    await refused(['--database', database], /Another `pets serve` is running on .*one\.db; stop it first/)
    execFileSync('ln', ['-s', 'one.db', `${folder}/two.db`])
    await refused(['--database', `sqlite:${folder}/two.db`], /Another `pets serve` is running/)
    first.process.kill('SIGKILL')
    await first.stop()
    await using second = await startService({ database })
    assert.match(second.baseUrl, /^http/)
  })

  it('on a file that is no database, another program’s, a damaged one, a newer one, a folder, or none', async () => {
    const { DatabaseSync } = await import('node:sqlite')
    const at = (name: string) => `${folder}/${name}`
    writeFileSync(at('text.db'), 'this is no database, but it is long enough to be looked at\n'.repeat(50))
    await refused(['--database', `sqlite:${at('text.db')}`], /is not a SQLite database; name another one/)

    const theirs = new DatabaseSync(at('theirs.db'))
    theirs.exec('CREATE TABLE invoices (id INTEGER)')
    theirs.close()
    await refused(
      ['--database', `sqlite:${at('theirs.db')}`],
      /is a SQLite database of some other program; name another file/,
    )
    const again = new DatabaseSync(at('theirs.db'))
    assert.equal(
      again.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'pets'").get()?.n,
      0,
      'and is left alone',
    )
    again.close()

    await pets(['keys', 'create', '--plan', 'free', '--database', `sqlite:${at('newer.db')}`])
    const newer = new DatabaseSync(at('newer.db'))
    newer.exec('PRAGMA user_version = 99')
    newer.close()
    await refused(
      ['--database', `sqlite:${at('newer.db')}`],
      /was written by a newer version of this software .*; update the software/,
    )

    await pets(['import', '-', '--database', `sqlite:${at('cut.db')}`], {
      input: `name,categoryId\n${'x,1\n'.repeat(5_000)}`,
    })
    execFileSync('truncate', ['-s', '20480', at('cut.db')])
    await refused(['--database', `sqlite:${at('cut.db')}`], /the file is damaged; restore it from a backup/)

    mkdirSync(at('folder.db'))
    await refused(['--database', `sqlite:${at('folder.db')}`], /cannot be opened/)
    await refused(['--database', `sqlite:${at('text.db')}/x.db`], /cannot be opened/)
  })

  it('on a file that may not be written', async () => {
    const path = `${folder}/readonly`
    mkdirSync(path)
    await pets(['keys', 'create', '--plan', 'free', '--database', `sqlite:${path}/pets.db`])
    // Root may write anything, so this has to be tried as somebody else, or on a mount that cannot be written.
    if (process.getuid?.() === 0) {
      const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" src/cli/pets.ts serve --port 0 --database "sqlite:$1/pets.db"`
      const { status, stderr } = await run('unshare', ['-m', 'sh', '-c', script, 'sh', path, process.execPath])
      assert.equal(status, 1, stderr)
      assert.match(stderr, /may not be written|read-only|cannot be opened/)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    } else {
      execFileSync('chmod', ['-R', 'a-w', path])
      await refused(['--database', `sqlite:${path}/pets.db`], /may not be written|cannot be opened/)
      execFileSync('chmod', ['-R', 'u+w', path])
    }
  })

  it('but makes a folder that is not there yet', async () => {
    await using service = await startService({ database: `sqlite:${folder}/new/and/deep/pets.db` })
    const { key } = await service.issueKey()
    assertWhole(await call(portOf(service), { key }), 200)
  })
})

describe('commands beside a running service', () => {
  it('show in the very next answer: a key made, revoked or rotated, animals imported, a status set (O7)', async () => {
    await using service = await startService()
    const port = portOf(service)
    const database = ['--database', service.database]
    const { key } = await service.issueKey()
    const list = async (query = '') => (await call(port, { path: `/v1/pets${query}`, key })).body

    assert.equal(await list(), '[]')
    await pets(['import', '-', ...database], { input: 'name,categoryId,status\nRex,1,sold\nMia,2,\n' })
    assert.equal(
      await list(),
      '[{"id":2,"name":"Mia","categoryId":2},{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]',
    )

    assert.equal(await list('?status=available'), '[]')
    assert.equal((await call(port, { path: '/v1/pets/2', key })).body, '{"id":2,"name":"Mia","categoryId":2}')
    await pets(['set-status', '2', 'available', ...database])
    assert.equal(
      (await call(port, { path: '/v1/pets/2', key })).body,
      '{"id":2,"name":"Mia","categoryId":2,"status":"available"}',
    )
    assert.equal(await list('?status=available'), '[{"id":2,"name":"Mia","categoryId":2,"status":"available"}]')

    const { id, key: other } = await service.issueKey('enterprise', ['--per-minute', '1000', '--per-day', '100'])
    assertWhole(await call(port, { key: other }), 200)
    const rotated = JSON.parse(
      (await pets(['keys', 'rotate', id, '--overlap', '3600', '--json', ...database])).stdout,
    ) as { id: string; key: string }
    assert.equal(remaining(await call(port, { key: rotated.key })), 98)
    assertWhole(await call(port, { key: other }), 200)
    await pets(['keys', 'revoke', id, ...database])
    const refused = await call(port, { key: other })
    assertWhole(refused, 401)
    assert.match(message(refused), /valid API key/)
    assertWhole(await call(port, { key: rotated.key }), 200)
    await pets(['keys', 'rotate', rotated.id, '--overlap', '0', ...database])
    assertWhole(await call(port, { key: rotated.key }), 401)
  })

  it('a long import does not stop lists, and creates go on while its rows are read', async () => {
    await using service = await startService()
    const port = portOf(service)
    const { key } = await service.issueKey()
    const importing = pets(['import', '-', '--database', service.database], {
      input: `name,categoryId\n${'x,1\n'.repeat(100_000)}`,
    })
    let done = false
    void importing.then(() => {
      done = true
    })
    while (!done) {
      const made = await call(port, { method: 'POST', key, body: '{"name":"y","categoryId":2}' })
      assert(made.status === 201 || made.status === 503, made.body)
      assertWhole(await call(port, { key }), 200)
    }
    assert.equal((await importing).stdout, '100000 animals imported.\n')
    assertWhole(await call(port, { path: '/v1/pets/100000', key }), 200)
  })
})

async function run(command: string, args: string[]): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stderr })))
}
