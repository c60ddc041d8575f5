/** The package: one file that runs without the clone, and reports that are what they say. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram } from '../../conformance/build.ts'
import { htmlReport, junitReport, OUTCOMES } from '../../conformance/src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ROOMY, replies } from './servers/mutate.ts'
import { KEY, type RunningServer, startServer } from './servers/reference.ts'
import { failedIn, runKit } from './servers/run-kit.ts'

const run = promisify(execFile)
const PACKAGE = `${import.meta.dirname}/../../conformance`
const MOST_BYTES = 200_000

describe('the one file of the package', () => {
  let server: RunningServer
  let program: string

  before(async () => {
    server = await startServer(Date.now, ROOMY)
    program = join(temporaryFolder(), 'kit.mjs')
    await buildProgram(program)
  })
  after(() => server.close())

  const check = ['--only', 'R5,R7,R8,R11,R13', '--thorough', '--yes', '--json']

  it('is small, needs nothing beside it, and exits as its verdict says', async () => {
    assert.ok(statSync(program).size <= MOST_BYTES, `${statSync(program).size} bytes`)
    const alone = join(temporaryFolder(), 'alone.mjs')
    copyFileSync(program, alone)
    const { stdout } = await run(process.execPath, [alone, server.baseUrl, '--key', KEY, ...check])
    assert.equal(JSON.parse(stdout).verdict, 'passed')
    const nowhere = run(process.execPath, [alone, 'http://127.0.0.1:1/v1', '--key', KEY])
    await assert.rejects(nowhere, { code: 3, stderr: /^No answer from [^\n]*\n$/ })
  })
})

it('the package exports only files that are in it', () => {
  const { exports, files } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8'))
  // npm packs the manifest in any case.
  const packed = ['package.json', ...files]
  for (const path of Object.values<string>(exports))
    assert.ok(
      packed.some((file) => path.startsWith(`./${file}`)),
      path,
    )
})

it('the JSON report has what its schema names, and the schema knows every outcome', async () => {
  const schema = JSON.parse(readFileSync(`${PACKAGE}/report.schema.json`, 'utf8'))
  const report = JSON.parse(JSON.stringify(await runKit({ limitedKey: undefined })))
  const objects: [schema: { required: string[]; properties: object }, value: object][] = [
    [schema, report],
    ...report.results.map((result: object) => [schema.$defs.result, result]),
  ]
  for (const [{ required, properties }, value] of objects) {
    for (const name of required) assert.ok(name in value, name)
    for (const name of Object.keys(value)) assert.ok(name in properties, name)
  }
  assert.deepEqual(schema.$defs.result.properties.outcome.enum, [...OUTCOMES])
  assert.deepEqual(schema.properties.counts.required, [...OUTCOMES])
})

it('the JUnit report has the time of each case, of each section and of all', async () => {
  const report = await runKit({ only: ['R16'] })
  // The kit waits for a limit in this run, by a clock of the test's own.
  const slowest = Math.max(...report.results.map(({ tookMs }) => tookMs))
  assert.ok(slowest >= 1_000, `${slowest} ms`)
  const xml = junitReport(report)
  assert.equal(xml.split(/<testcase [^>]* time="\d+\.\d{3}"/).length - 1, report.results.length)
  const sum = report.results.reduce((total, { tookMs }) => total + tookMs, 0)
  assert.ok(
    xml.includes(
      `<testsuites name="pets check ${report.baseUrl}" timestamp="${report.startedAt}" time="${(sum / 1000).toFixed(3)}"`,
    ),
  )
})

it('the HTML page has both badges and every case, without a script, and what a server sent is text in it', async () => {
  const evil = '<script>alert(1)</script>'
  const report = await runKit({ change: replies({}, { body: evil }), only: ['R7', 'R6'] })
  const html = htmlReport(report)
  for (const level of ['core', 'strict']) assert.match(html, new RegExp(`class="badge"[^>]*>${level}: failed<`))
  for (const { id } of report.results) assert.ok(html.includes(`<tr id="${id}">`), id)
  const failed = failedIn(report)
  const first = [...html.matchAll(/<tr id="([\w-]+)">/g)].slice(0, failed.length).map(([, id]) => id)
  assert.ok(failed.length > 0)
  assert.deepEqual(first.toSorted(), failed.toSorted(), 'what failed comes first')
  assert.ok(!html.includes('<script'))
  assert.ok(html.includes('&#60;script&#62;'))
})
