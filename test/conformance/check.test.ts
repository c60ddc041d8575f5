/** The kit as a command: what it prints, what it writes, what it asks before, and how it exits. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { createServer as createProxy } from 'node:tls'
import { main } from '../../conformance/src/index.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { keeps, ROOMY, reads, replies } from './servers/mutate.ts'
import { KEY, type RunningServer, startServer } from './servers/reference.ts'
import { failedIn } from './servers/run-kit.ts'

const opensslNeeded = skipUnless(findProgram('openssl') !== undefined, 'there is no openssl on the path')

const folder = temporaryFolder()
let server: RunningServer
/** How many animals were created. */
let stored = 0

before(async () => {
  // Room for all of these runs in one minute, so that none waits for the next.
  const counting = keeps((pet) => {
    stored += 1
    return pet
  })
  server = await startServer(Date.now, counting, ROOMY)
})
after(() => server.close())

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The command in this process; `answer` is what a person says at a terminal, where there is one. */
async function check(args: readonly string[], answer?: string): Promise<Ran> {
  let [stdout, stderr] = ['', '']
  const code = await main(args, {
    print: async (text) => {
      stdout += text
    },
    note: (text) => {
      stderr += text
    },
    ask:
      answer === undefined
        ? undefined
        : async (question) => {
            stderr += question
            return answer
          },
    hasColour: false,
  })
  return { code, stdout, stderr }
}

const withKey = (...args: readonly string[]) => check([server.baseUrl, '--key', KEY, ...args])

// Of the list alone: a server that has room for everything shows no Remaining that falls.
const ofList = ['--only', 'R7,R8,R11,O16', '--thorough', '--yes']

it('a conforming implementation: a verdict for a person, exit 0, and on stderr only how far it is', async () => {
  const { code, stdout, stderr } = await withKey(...ofList)
  assert.equal(code, 0, stdout)
  assert.match(stdout, /✓ 4\.1 List animals +(\d+) of \1 passed/)
  assert.match(stdout, /GET \/pets\?limit=0: 400 \(invalid_request\)\. \[O16\]/)
  assert.match(stdout, /PASSED/)
  assert.match(
    stderr,
    /^About \d+ requests, in (?:less than a|about \d+) minutes?; leaves some \d+ animals behind, whose names begin with "kit\w{4}-"\.\n4\.1 List animals \(case 1 of \d+\)\n/,
  )
  assert.match(stdout, /core: passed/)
})

it('a failing one: exit 1, one JSON document, and JUnit beside it; the key from the environment', async () => {
  const junit = join(folder, 'report.xml')
  process.env.PETS_KEY = KEY
  const { code, stdout } = await check([server.baseUrl, '--yes', '--only', 'R15', '--json', '--junit', junit])
  delete process.env.PETS_KEY
  assert.equal(code, 1)
  const report = JSON.parse(stdout)
  assert.equal(report.verdict, 'failed')
  assert.deepEqual(failedIn(report), ['remaining-falls'])
  assert.match(await readFile(junit, 'utf8'), /<failure type="R15"/)
})

it('what could not be put to the test is neither passed nor failed: exit 3', async () => {
  const { code, stdout } = await withKey('--yes', '--case', 'retry-after,list')
  assert.equal(code, 3)
  assert.match(stdout, /INCOMPLETE/)
  assert.match(stdout, /no key was given that may be exhausted \(--limited-key\) \(retry-after\)/)
})

it('a base address that is something else, and nothing there: exit 3 and one sentence', async () => {
  const elsewhere = await check([server.baseUrl.replace('/v1', '/shop/v1'), '--key', KEY, '--yes'])
  assert.deepEqual([elsewhere.code, elsewhere.stdout], [3, ''])
  assert.match(
    elsewhere.stderr,
    /http:\S+ is not a base address of the interface: GET \/shop\/v1\/pets is answered 404/,
  )
  const nothing = await check(['http://127.0.0.1:1/v1', '--key', KEY])
  assert.deepEqual([nothing.code, nothing.stdout], [3, ''])
  assert.match(nothing.stderr, /^No answer from http:\/\/127\.0\.0\.1:1\/v1: .*\n$/)
})

it('wrong usage: exit 2 and a sentence that says what to do, in which no key is repeated', async () => {
  const { baseUrl } = server
  const wrong: [args: string[], sentence: RegExp][] = [
    [[], /missing required argument 'base-url'/],
    [[baseUrl], /--key <key>/],
    [['http://127.0.0.1:1/', '--key', KEY], /ends in \/v1/],
    [[baseUrl, '--key', KEY, '--limited-key', KEY], /another key than --key/],
    [[baseUrl, '--key', KEY, '--only', 'R15,R99'], /There is no statement R99/],
    [[baseUrl, '--key', KEY, '--only', 'O7'], /No case cites O7/],
    [[baseUrl, '--key', KEY, '--case', 'no-such-case'], /There is no case no-such-case/],
    [[baseUrl, '--key', KEY, '--case', 'list', '--skip', 'list'], /no case is left/],
    [[baseUrl, '--key', KEY, '--max-minutes', '0'], /whole number from 1/],
    [[baseUrl, '--key', 'two words'], /visible ASCII/],
  ]
  for (const [args, sentence] of wrong) {
    const { code, stderr } = await check(args)
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
    assert.ok(!stderr.includes('two words'))
  }
})

it('a file that cannot be read or written is told before anything is sent: exit 2', async () => {
  const before = stored
  const files = [
    ['--junit', folder],
    ['--html', '/nowhere/report.html'],
    ['--created', '/nowhere/x'],
    ['--ca', '/nowhere/ca.pem'],
  ]
  for (const [flag = '', file = ''] of files) {
    const { code, stdout, stderr } = await withKey('--yes', '--only', 'R9', flag, file)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, new RegExp(`^error: the file ${file} cannot be (?:read|written); give ${flag} `))
  }
  assert.equal(stored, before)
})

it('a short key is taken, and in a report masked where it stands alone, not within words', async () => {
  const key = 'k'
  const short = reads(({ authorization }) =>
    authorization === `Bearer ${key}` ? { authorization: `Bearer ${KEY}` } : {},
  )
  const repeating = replies({}, { headers: { 'Content-Type': 'x', Server: 'a kit, k' } })
  const mock = await startServer(Date.now, short, repeating)
  const { code, stdout } = await check([mock.baseUrl, '--key', key, '--yes', '--case', 'json-list,auth-key-cut'])
  await mock.close()
  assert.equal(code, 1)
  assert.match(stdout, /server: a kit, \$KEY/i)
  assert.match(stdout, /the key is one character \(auth-key-cut\)/)
  assert.match(stdout, /Failed, as told above: json-list\.\nFAILED: 1 of 1 cases/)
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
    const { port } = proxy.address() as AddressInfo
    const args = [`https://127.0.0.1:${port}/v1`, '--key', KEY, '--yes', '--case', 'list']
    const refused = await check(args)
    assert.equal(refused.code, 3)
    assert.match(refused.stderr, /^No answer from https:.*self-signed certificate/)
    for (const more of [['--ca', files.cert], ['--insecure']]) {
      const { code, stdout } = await check([...args, ...more])
      assert.equal(code, 0, stdout)
    }
  } finally {
    proxy.close()
  }
})

it('the animals that were created can be listed, and a case can be named and another left out', async () => {
  const created = join(folder, 'created.ndjson')
  const choice = ['--case', 'create-sold,create-pending', '--skip', 'create-pending', '--created', created]
  const { code, stdout } = await withKey('--yes', ...choice)
  assert.equal(code, 0, stdout)
  assert.match(await readFile(created, 'utf8'), /^\{"id":"\d+","name":"kit\w{4}-sold"\}\n$/)
})

it('nothing is written before somebody has agreed; where there is nobody to ask, --yes is needed', async () => {
  const args = [server.baseUrl, '--key', KEY, '--case', 'create-sold']
  const before = stored
  const unasked = await check(args)
  assert.equal(unasked.code, 2, unasked.stderr)
  assert.match(unasked.stderr, /leaves at most 5 animals behind.*\nerror: no terminal to ask on; add --yes/)
  const refused = await check(args, 'n')
  assert.equal(refused.code, 3)
  assert.match(refused.stderr, /There are animals already, .* Go on\? \[y\/N\] .*No animal was sent to it\.\n$/s)
  assert.equal(stored, before)
  assert.equal((await check(args, 'y')).code, 0)
  assert.equal((await check([...args, '--yes'])).code, 0)
  assert.equal(stored, before + 2)
})
