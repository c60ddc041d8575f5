/** The one file of the package on the other runtimes that it is for. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram } from '../../conformance/build.ts'
import { RUNTIMES, runtimesNeeded } from '../runtimes/install.ts'
import { temporaryFolder } from '../support/folder.ts'
import { KEY, LIMITED_KEY, startServer } from './servers/reference.ts'

describe('the kit on other runtimes', await runtimesNeeded(), () => {
  for (const [name, runtime, ...args] of RUNTIMES) {
    it(`passes a right implementation on ${name}`, async () => {
      await using server = await startServer(Date.now)
      const program = join(temporaryFolder(), 'kit.mjs')
      await buildProgram(program)
      const options = ['--key', KEY, '--limited-key', LIMITED_KEY, '--skip', 'R16', '--yes', '--json']
      const { stdout } = await promisify(execFile)(runtime, [...args, program, server.baseUrl, ...options])
      assert.equal(JSON.parse(stdout).verdict, 'passed', stdout)
    })
  }
})
