/** `pets check` as a command: what it prints, what it writes, and how it exits. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { createServer as createProxy } from 'node:tls'
import { makeCertificate } from '../support/certificate.ts'
import { pets } from '../support/commands/commands.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { CORRECT, KEY, type RunningServer, startServer } from './servers/reference.ts'

const opensslNeeded = skipUnless(findProgram('openssl') !== undefined, 'there is no openssl on the path')

let server: RunningServer
let folder: string

before(async () => {
  // Room for all of these runs in one minute, so that none waits for the next.
  const roomy = { ...CORRECT, count: () => ({ used: 1, isOver: false }) }
  server = await startServer(roomy, Date.now)
  folder = await mkdtemp(join(tmpdir(), 'pets-check-'))
})

after(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

// Of the list alone: a server that has room for everything shows no Remaining that falls.
const only = ['--only', 'R7,R8,R11,O16', '--thorough']

it('a conforming implementation: a verdict for a person, exit 0, and on stderr only how far it is', async () => {
  const { code, stdout, stderr } = await pets(['check', server.baseUrl, '--key', KEY, ...only])
  assert.equal(code, 0, stdout)
  assert.match(stdout, /✓ 4\.1 List animals +(\d+) of \1 passed/)
  assert.match(stdout, /GET \/pets\?limit=0: 400 \(invalid_request\)\. \[O16\]/)
  assert.match(stdout, /PASSED/)
  assert.match(
    stderr,
    /^About \d+ requests; leaves some \d+ animals behind, whose names begin with "kit\w{4}-"\.\n4\.1 List animals \(case 1 of \d+\)\n/,
  )
  assert.match(stdout, /core: passed/)
})

it('a failing one: exit 1, one JSON document, and JUnit beside it; the key from the environment', async () => {
  const junit = join(folder, 'report.xml')
  const { code, stdout } = await pets(['check', server.baseUrl, '--yes', '--only', 'R15', '--json', '--junit', junit], {
    env: { PETS_KEY: KEY },
  })
  assert.equal(code, 1)
  const report = JSON.parse(stdout)
  assert.equal(report.verdict, 'failed')
  assert.deepEqual(
    report.results
      .filter((result: { outcome: string }) => result.outcome === 'failed')
      .map(({ id }: { id: string }) => id),
    ['remaining-falls'],
  )
  assert.match(await readFile(junit, 'utf8'), /<failure type="R15"/)
})

it('what could not be put to the test is neither passed nor failed: exit 3', async () => {
  const { code, stdout } = await pets(['check', server.baseUrl, '--key', KEY, '--yes', '--case', 'retry-after,list'])
  assert.equal(code, 3)
  assert.match(stdout, /INCOMPLETE/)
  assert.match(stdout, /no key was given that may be exhausted \(--limited-key\) \(retry-after\)/)
})

it('a base address that is something else: exit 3 and one sentence', async () => {
  const { code, stdout, stderr } = await pets(['check', server.baseUrl.replace('/v1', '/shop/v1'), '--key', KEY])
  assert.equal(stdout, '')
  assert.equal(code, 3)
  assert.match(
    stderr,
    /^http:\S+ is not a base address of the interface: GET \/shop\/v1\/pets is answered 404[^\n]*\n$/,
  )
})

it('nothing there: exit 3 and one sentence', async () => {
  const { code, stdout, stderr } = await pets(['check', 'http://127.0.0.1:1/v1', '--key', KEY])
  assert.equal(code, 3)
  assert.equal(stdout, '')
  assert.match(stderr, /^No answer from http:\/\/127\.0\.0\.1:1\/v1: .*\n$/)
})

it('wrong usage: exit 2 and a sentence that says what to do', async () => {
  const wrong: [args: string[], sentence: RegExp][] = [
    [[server.baseUrl], /--key <key>/],
    [['http://127.0.0.1:1/', '--key', KEY], /ends in \/v1/],
    [[server.baseUrl, '--key', KEY, '--limited-key', KEY], /another key than --key/],
    [[server.baseUrl, '--key', KEY, '--only', 'R15,R99'], /There is no statement R99/],
    [[server.baseUrl, '--key', KEY, '--only', 'O7'], /No case cites O7/],
    [[server.baseUrl, '--key', KEY, '--case', 'no-such-case'], /There is no case no-such-case/],
    [[server.baseUrl, '--key', KEY, '--case', 'list', '--skip', 'list'], /no case is left/],
    [[server.baseUrl, '--key', KEY, '--max-minutes', '0'], /whole number from 1/],
    [[server.baseUrl, '--key', 'two words'], /visible ASCII/],
  ]
  for (const [args, sentence] of wrong) {
    const { code, stderr } = await pets(['check', ...args])
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
    assert.ok(!stderr.includes('two words'))
  }
})

it('a JUnit file that cannot be written: the report all the same, then exit 1', async () => {
  const { code, stdout, stderr } = await pets([
    'check',
    server.baseUrl,
    '--key',
    KEY,
    '--yes',
    '--only',
    'R8',
    '--junit',
    folder,
  ])
  assert.equal(code, 1)
  assert.match(stdout, /PASSED/)
  assert.match(stderr, /cannot be written/)
})

it('TLS: a certificate of its own is refused, and believed with --ca or --insecure', opensslNeeded, async () => {
  const files = makeCertificate(folder)
  const proxy = createProxy({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (socket) => {
    const { port } = new URL(server.baseUrl)
    const inner = connect(Number(port), '127.0.0.1')
    socket.on('error', () => inner.destroy()).pipe(inner)
    inner.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    const args = [
      'check',
      `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`,
      '--key',
      KEY,
      '--yes',
      '--case',
      'list',
    ]
    const refused = await pets(args)
    assert.equal(refused.code, 3)
    assert.match(refused.stderr, /^No answer from https:.*self-signed certificate/)
    for (const more of [['--ca', files.cert], ['--insecure']]) {
      const { code, stdout } = await pets([...args, ...more])
      assert.equal(code, 0, stdout)
    }
    const missing = await pets([...args, '--ca', join(folder, 'nothing.pem')])
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /nothing\.pem cannot be read; give --ca/)
  } finally {
    proxy.close()
  }
})

it('the animals that were created can be listed, and a case can be named and another left out', async () => {
  const created = join(folder, 'created.ndjson')
  const args = ['--case', 'create-sold,create-pending', '--skip', 'create-pending', '--created', created]
  const { code, stdout } = await pets(['check', server.baseUrl, '--key', KEY, '--yes', ...args])
  assert.equal(code, 0, stdout)
  const lines = (await readFile(created, 'utf8')).trimEnd().split('\n')
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^\{"id":"\d+","name":"kit\w{4}-sold"\}$/)
})

it('where there are animals already, nothing is sent before somebody has agreed', async () => {
  const created = join(folder, 'agreed.ndjson')
  const args = ['check', server.baseUrl, '--key', KEY, '--case', 'create-sold', '--created', created]
  const isThere = () => readFile(created, 'utf8').then(Boolean, () => false)
  const unasked = await pets(args)
  assert.equal(unasked.code, 2, unasked.stderr)
  assert.match(unasked.stderr, /leaves at most 5 animals behind.*\nerror: there are animals already.*add --yes/)
  assert.equal(await isThere(), false)
  assert.equal((await pets([...args, '--yes'])).code, 0)
  assert.equal(await isThere(), true)
})
