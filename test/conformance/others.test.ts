/**
 * The kit and what others make, installed by test/other-implementations. Implementations of openapi.json: mock servers,
 * and validators with handlers behind them. None meets the interface, for the reasons that docs/conformance.md
 * explains, and all but one still answer when the kit has done; nor do those that are written by hand. And the runtimes
 * beside Node 26 that the package is for.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram } from '../../conformance/build.ts'
import { KIT_VERSION, runConformance, SUITE_VERSION, textReport } from '../../conformance/src/index.ts'
import { checkHandwritten, HANDWRITTEN, tableRow } from '../other-implementations/handwritten.ts'
import { FOLDER, installOthers, RUNTIMES, runtimesNeeded } from '../other-implementations/install.ts'
import { temporaryFolder } from '../support/folder.ts'
import { skipUnless } from '../support/programs.ts'
import { freePort, runServer } from '../support/servers/servers.ts'
import { ROOMY } from './servers/mutate.ts'
import { KEY, type RunningServer, startServer } from './servers/reference.ts'
import { failedIn } from './servers/run-kit.ts'

const missing = await installOthers()
const othersNeeded = skipUnless(missing === undefined, missing ?? '')

/** The document with /v1 in its paths: the tools read a server's address each in another way, or not at all. */
const DOCUMENT = join(temporaryFolder(), 'openapi.json')
{
  const {
    servers: _servers,
    paths,
    info,
    ...rest
  } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8'))
  const below = Object.entries(paths).map(([path, item]) => [`/v1${path}`, item])
  writeFileSync(
    DOCUMENT,
    JSON.stringify({ ...rest, info: { ...info, license: undefined }, paths: Object.fromEntries(below) }),
  )
}

interface Other {
  readonly name: string
  readonly command: (port: number) => readonly string[]
  /** Those that the explanation in docs/conformance.md is about; more may fail. */
  readonly failed: readonly string[]
  /** The case whose request ends the process, where one does. */
  readonly endedBy?: string
}

const OTHERS: readonly Other[] = [
  {
    name: 'Prism',
    command: (port) => ['prism', 'mock', DOCUMENT, '--port', String(port), '--host', '127.0.0.1'],
    failed: ['ids-unique-created', 'create-pending', 'get-missing', 'auth-unknown-key', 'headers-200-list'],
    endedBy: 'path-bad-escape',
  },
  {
    name: 'express-openapi-validator',
    command: (port) => ['node', 'express-openapi-validator.js', String(port), DOCUMENT],
    failed: ['int64-above-double', 'refuse-category-too-large', 'remaining-falls', 'method-invented'],
  },
]

describe('implementations of others', { ...othersNeeded, concurrency: 3 }, () => {
  for (const { name, command, failed, endedBy } of OTHERS) {
    it(`${name}: its verdict, and ${endedBy === undefined ? 'it lives on' : `${endedBy} ends it`}`, async () => {
      const port = await freePort()
      const [program = '', ...args] = command(port)
      const isNode = program === 'node'
      const line = [isNode ? process.execPath : `${FOLDER}/node_modules/.bin/${program}`, ...args]
      await using _server = await runServer(port, line, {
        cwd: FOLDER,
        env: { ...process.env, HOME: temporaryFolder() },
      })
      const baseUrl = `http://127.0.0.1:${port}/v1`
      // Some read the document at the first request, for longer than the kit is told to wait.
      await fetch(`${baseUrl}/pets`)
      // Prism leaves four bodies that are not JSON without an answer.
      const timeouts = { httpMs: 10_000, rawMs: 1_000 }
      const report = await runConformance({ baseUrl, key: 'other-key', timeouts, thorough: true })
      assert.equal(report.verdict, 'failed')
      const ids = failedIn(report)
      assert.deepEqual(
        [...failed, ...(endedBy === undefined ? [] : [endedBy])].filter((id) => !ids.includes(id)),
        [],
        textReport(report),
      )
      assert.equal(report.core, 'failed')
      const isThere = fetch(`${baseUrl}/pets`).then(
        () => true,
        () => false,
      )
      assert.equal(await isThere, endedBy === undefined, 'whether it still answers')
    })
  }
})

const DOCUMENTED = readFileSync(resolve(import.meta.dirname, '../../docs/conformance.md'), 'utf8')

describe('implementations written by hand', { ...othersNeeded, concurrency: 3 }, () => {
  for (const each of HANDWRITTEN) {
    const { name, program } = each
    const programNeeded = skipUnless(program !== undefined, `there is no program for ${name} on the path`)
    it(`${name}: docs/conformance.md has what the kit finds`, programNeeded, async () => {
      const report = await checkHandwritten(each)
      assert.ok(
        DOCUMENTED.includes(`\n${tableRow(each, report)}\n`),
        `${tableRow(each, report)}\n${textReport(report)}`,
      )
    })
  }
})

describe('other runtimes', await runtimesNeeded(), () => {
  let server: RunningServer
  let program: string
  before(async () => {
    server = await startServer(Date.now, ROOMY)
    program = join(temporaryFolder(), 'kit.mjs')
    await buildProgram(program)
  })
  after(() => server.close())

  for (const [name, runtime, ...args] of RUNTIMES) {
    it(`the one file of the package says the same on ${name}`, async () => {
      const options = ['--key', KEY, '--only', 'R5,R7,R8,R11,R13', '--thorough', '--yes', '--json']
      const { stdout } = await promisify(execFile)(runtime, [...args, program, server.baseUrl, ...options])
      const report = JSON.parse(stdout)
      assert.equal(report.verdict, 'passed', stdout)
      assert.deepEqual([report.kit.version, report.kit.suite], [KIT_VERSION, SUITE_VERSION])
    })
  }
})
