/** The kit as a command and as a package. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram } from '../../conformance/build.ts'
import { main, OUTCOMES } from '../../conformance/src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { counts, filled, replies, withStatus } from './servers/changes.ts'
import { KEY, type RunningServer, startServer, together } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'

let server: RunningServer
let stored = 0

before(async () => {
  const counting = replies(withStatus(201), () => {
    stored += 1
    return {}
  })
  // Room for all runs in one minute, so that none waits.
  const roomy = counts(() => ({ remaining: 59, isOver: false }))
  server = await startServer(Date.now, together(filled, counting, roomy))
})
after(() => server[Symbol.asyncDispose]())

async function check(args: readonly string[]) {
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await main(args, { print: (text) => printed.push(text), note: (text) => notes.push(text) })
  return { code, stdout: printed.join(''), stderr: notes.join('') }
}
const withKey = (...args: readonly string[]) => check([server.baseUrl, '--key', KEY, ...args])

describe('the command of the kit', () => {
  it('exits 0 with a report for a person if an implementation conforms', async () => {
    const { code, stdout, stderr } = await withKey('--only', 'R7,R8,R11,O16', '--yes')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /✓ Operations +2 of 2 passed/)
    assert.match(stdout, /limit=0: 400, code invalid_request\. \[O16\]/)
    assert.match(stdout, /PASSED.*\ncore: passed/)
    assert.match(stderr, /^case 1 of \d+: list\n/)
  })

  it('exits 1 with one JSON document if a requirement is broken', async () => {
    process.env.PETS_KEY = KEY
    const { code, stdout } = await check([server.baseUrl, '--yes', '--only', 'remaining-falls', '--json'])
    delete process.env.PETS_KEY
    assert.equal(code, 1)
    assert.equal(JSON.parse(stdout).verdict, 'failed')
  })

  it('exits 3 if a requirement could not be tested', async () => {
    const { code, stdout } = await withKey('--yes', '--only', 'retry-after,list')
    assert.equal(code, 3)
    assert.match(stdout, /retry-after: no --limited-key was given.*INCOMPLETE/s)
  })

  it('exits 3 with one sentence if nothing responds', async () => {
    const { code, stdout, stderr } = await check(['http://127.0.0.1:1/v1', '--key', KEY, '--yes'])
    assert.deepEqual([code, stdout], [3, ''])
    assert.match(stderr, /^Nothing can be checked at http:\/\/127\.0\.0\.1:1\/v1: .*\n$/)
  })

  it('exits 2 on wrong usage with a sentence that repeats no key', async () => {
    const { baseUrl } = server
    const wrong: [args: string[], sentence: RegExp][] = [
      [[], /missing required argument 'base-url'/],
      [[baseUrl], /--key <key>/],
      [['http://127.0.0.1:1/', '--key', KEY, '--yes'], /must end in \/v1/],
      [[baseUrl, '--key', KEY, '--limited-key', KEY], /must differ from --key/],
      [[baseUrl, '--key', KEY, '--only', 'R15,R99'], /Not a case or statement: R99/],
      [[baseUrl, '--key', KEY, '--only', 'list', '--skip', 'list'], /no case is left/],
      [[baseUrl, '--key', 'two words'], /visible ASCII/],
    ]
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await check(args)
      assert.equal(code, 2, stderr)
      assert.match(stderr, sentence)
      assert(!stderr.includes('two words'))
    }
  })

  it('creates nothing without --yes', async () => {
    const before = stored
    const { code, stderr } = await withKey('--only', 'create')
    assert.deepEqual([code, stored], [2, before])
    assert.match(
      stderr,
      /^error: up to 16 animals will be created and cannot be removed\. Add --yes to allow this\.\n$/,
    )
    assert.equal((await withKey('--only', 'create', '--yes')).code, 0)
    assert.equal(stored, before + 1)
  })

  it('prints JSON that its schema describes', async () => {
    const schema = JSON.parse(readFileSync(`${import.meta.dirname}/../../conformance/report.schema.json`, 'utf8'))
    const report = JSON.parse(JSON.stringify(await runKit({ limitedKey: undefined })))
    const objects: [schema: { required: string[]; properties: object }, value: object][] = [
      [schema, report],
      ...report.results.map((result: object) => [schema.$defs.result, result]),
    ]
    for (const [{ required, properties }, value] of objects) {
      for (const name of required) assert(name in value, name)
      for (const name of Object.keys(value)) assert(name in properties, name)
    }
    assert.deepEqual(schema.$defs.result.properties.outcome.enum, [...OUTCOMES])
    assert.deepEqual(schema.properties.counts.required, [...OUTCOMES])
  })
})

describe('the one file of the package', () => {
  let program: string
  before(async () => {
    program = join(temporaryFolder(), 'kit.mjs')
    await buildProgram(program)
  })

  it('has at most 150 kB and needs no other file', async () => {
    assert(statSync(program).size <= 150_000, `${statSync(program).size} bytes`)
    const args = [program, server.baseUrl, '--key', KEY, '--only', 'R5,R7,R8,R11,R13', '--yes', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args)
    assert.equal(JSON.parse(stdout).verdict, 'passed', stdout)
  })
})
