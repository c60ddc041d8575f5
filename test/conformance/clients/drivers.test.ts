/** The judge of clients as a command, on loopback: with drivers that pass, one that ends, and one that hangs. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import type { Report } from '../../../conformance/src/reports/report.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { findProgram, skipUnless } from '../../support/programs.ts'
import { endWithTests } from '../../support/servers/servers.ts'
import { oneOf, until } from '../../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PETS = `${ROOT}/src/cli/pets.ts`
const DRIVERS = `${ROOT}/conformance/examples/clients`
const TRIES = 3

/** The client's package as it is here, not built. */
const OWN_CLIENT = `${temporaryFolder()}/own-client.mjs`
writeFileSync(
  OWN_CLIENT,
  `import { registerHooks } from 'node:module'
const own = ${JSON.stringify(`file://${ROOT}/client/src/index.ts`)}
registerHooks({ resolve: (name, context, next) => next(name === 'pet-adoption-client' ? own : name, context) })
`,
)

async function judge(...args: readonly string[]): Promise<Report> {
  return new Promise((tell, fail) => {
    execFile(process.execPath, [PETS, 'check-client', '--json', ...args], (_error, stdout, stderr) => {
      if (stderr !== '') fail(new Error(stderr))
      else tell(JSON.parse(stdout))
    })
  })
}

const faults = ({ results }: Report) =>
  results.flatMap(({ id, failure }) => (failure ? [`${id}: ${failure.came}`] : []))

describe('pets check-client', () => {
  for (const { name, program, args } of [
    { name: 'the client of this project', program: process.execPath, args: ['--import', OWN_CLIENT, 'driver.js'] },
    { name: 'a client with nothing but Python', program: findProgram('python3'), args: ['driver.py'] },
  ]) {
    it(`passes ${name}`, skipUnless(program !== undefined, `${name} needs its program`), () =>
      // Cases compare waits, which a busy machine can lengthen.
      oneOf(TRIES, async () => {
        const command = [program ?? '', ...args.map((arg) => arg.replace(/^driver/, `${DRIVERS}/driver`))]
        const found = faults(await judge('--', ...command))
        return found.length === 0 ? undefined : found.join('\n')
      }),
    )
  }

  it('names what a shell with curl leaves out, and is not held up by a curl that waits for an hour', async () => {
    const report = await judge('--case', 'wait-long,sunset,send-category,next-link', '--', 'sh', `${DRIVERS}/driver.sh`)
    const outcomes = Object.fromEntries(report.results.map(({ id, outcome }) => [id, outcome]))
    assert.deepEqual(outcomes, {
      'wait-long': 'passed',
      'next-link': 'not applicable',
      'send-category': 'passed',
      sunset: 'failed',
    })
  })

  it('says in each case that a command ended, or could not be started', async () => {
    const cases = ['--case', 'wait-list,wait-others,random']
    for (const [command, came] of [
      ['false', /^it ended with 1|^it has ended/],
      ['no-such-program', /^it could not be started|^it has ended/],
    ] as const) {
      const { results } = await judge(...cases, '--', command)
      assert.deepEqual(
        results.map(({ failure }) => came.test(failure?.came ?? '')),
        [true, true, true],
      )
    }
  })

  it('leaves nothing running when it is interrupted', async () => {
    const pids = `${temporaryFolder()}/pids`
    const hangs = `echo $$ >> ${pids}; exec sleep 3600`
    const running = spawn(process.execPath, [PETS, 'check-client', '--', 'sh', '-c', hangs], { stdio: 'ignore' })
    endWithTests(running)
    const started = () => {
      try {
        return readFileSync(pids, 'utf8').trim().split('\n').map(Number)
      } catch {
        return []
      }
    }
    await until('ten of them run', () => started().length >= 10)
    running.kill('SIGINT')
    assert.deepEqual(await once(running, 'exit'), [130, null])
    const isThere = (pid: number) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await until('all of them have ended', () => !started().some(isThere))
  })

  it('refuses a case that there is not', async () => {
    const stderr = /There is no case wait-lists; a report prints the ids of the cases\./
    await assert.rejects(judge('--case', 'wait-lists', '--', 'true'), stderr)
  })
})
