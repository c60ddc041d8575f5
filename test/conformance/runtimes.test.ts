/** The packed conformance kit on the runtimes other than Node 26 that it is for. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram } from '../../conformance/build.ts'
import { KIT_VERSION, SUITE_VERSION } from '../../conformance/src/index.ts'
import { RUNTIMES, runtimesNeeded } from '../runtimes/install.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ROOMY } from './servers/mutate.ts'
import { KEY, type RunningServer, startServer } from './servers/reference.ts'

describe('the conformance kit', await runtimesNeeded(), () => {
  let server: RunningServer
  let program: string
  before(async () => {
    server = await startServer(Date.now, ROOMY)
    program = join(temporaryFolder(), 'kit.mjs')
    await buildProgram(program)
  })
  after(() => server.close())

  for (const [name, runtime, ...args] of RUNTIMES) {
    it(`passes a right server on ${name}`, async () => {
      const options = ['--key', KEY, '--only', 'R5,R7,R8,R11,R13', '--thorough', '--yes', '--json']
      const { stdout } = await promisify(execFile)(runtime, [...args, program, server.baseUrl, ...options])
      const report = JSON.parse(stdout)
      assert.equal(report.verdict, 'passed', stdout)
      assert.deepEqual([report.kit.version, report.kit.suite], [KIT_VERSION, SUITE_VERSION])
    })
  }
})
