/** `pets check` as a command: what it prints, what it writes, and how it exits. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pets } from '../support/service.ts'
import { CORRECT, KEY, type RunningServer, startServer } from './defects/server.ts'

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

// Without the cases of R15: a server that has room for everything shows no Remaining that falls.
const only = ['--only', 'R1,R4,R5,R7,R8,R9,R10,R11,R13,O16']

test('a conforming implementation: a verdict for a person, exit 0, and nothing on stderr', async () => {
  const { code, stdout, stderr } = await pets(['check', server.baseUrl, '--key', KEY, ...only])
  assert.equal(code, 0, stdout)
  assert.match(stdout, /✓ 4\.1 List animals +14 of 14 passed/)
  assert.match(stdout, /GET \/pets\?limit=0: 400 \(invalid_request\)\. \[O16\]/)
  assert.match(stdout, /PASSED/)
  assert.equal(stderr, '')
})

test('a failing one: exit 1, one JSON document, and JUnit beside it; the key from the environment', async () => {
  const junit = join(folder, 'report.xml')
  const { code, stdout } = await pets(['check', server.baseUrl, '--only', 'R15', '--json', '--junit', junit], {
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

test('nothing there: exit 1 and one sentence', async () => {
  const { code, stdout, stderr } = await pets(['check', 'http://127.0.0.1:1/v1', '--key', KEY])
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /^No answer from http:\/\/127\.0\.0\.1:1\/v1: .*\n$/)
})

test('wrong usage: exit 2 and a sentence that says what to do', async () => {
  const wrong: [args: string[], sentence: RegExp][] = [
    [[server.baseUrl], /--key <key>/],
    [['http://127.0.0.1:1/', '--key', KEY], /ends in \/v1/],
    [[server.baseUrl, '--key', KEY, '--limited-key', KEY], /another key than --key/],
    [[server.baseUrl, '--key', KEY, '--only', 'R15,R99'], /There is no statement R99/],
    [[server.baseUrl, '--key', KEY, '--only', 'O7'], /No case cites O7/],
    [[server.baseUrl, '--key', 'two words'], /visible ASCII/],
  ]
  for (const [args, sentence] of wrong) {
    const { code, stderr } = await pets(['check', ...args])
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
    assert.ok(!stderr.includes('two words'))
  }
})

test('a JUnit file that cannot be written: the report all the same, then exit 1', async () => {
  const { code, stdout, stderr } = await pets([
    'check',
    server.baseUrl,
    '--key',
    KEY,
    '--only',
    'R8',
    '--junit',
    folder,
  ])
  assert.equal(code, 1)
  assert.match(stdout, /PASSED/)
  assert.match(stderr, /cannot be written/)
})
