/**
 * The kit on implementations that others make of openapi.json: mock servers, and validators with handlers behind them. None
 * meets the interface and none survives by luck: each verdict, explained in docs/conformance.md, is the same each time,
 * and each server still answers when the kit has done.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { runConformance } from '../../src/conformance/run.ts'
import { textReport } from '../../src/conformance/text-report.ts'
import { FOLDER, installOthers } from '../other-implementations/install.ts'
import { temporaryFolder } from '../support/folder.ts'
import { endWithTests, freePort, listening, stop } from '../support/servers.ts'

const DOCUMENT = resolve(import.meta.dirname, '../../openapi.json')

interface Other {
  readonly name: string
  readonly command: (port: number) => readonly string[]
  /** Of those that fail, so many that the document's explanation stands. */
  readonly failed: readonly string[]
}

const OTHERS: readonly Other[] = [
  {
    name: 'Prism',
    command: (port) => ['prism', 'mock', DOCUMENT, '--port', String(port), '--host', '127.0.0.1'],
    failed: [],
  },
  {
    name: 'Mockoon',
    command: (port) => [
      'mockoon-cli',
      'start',
      '--data',
      DOCUMENT,
      '--port',
      String(port),
      '--hostname',
      '127.0.0.1',
      '--disable-log-to-file',
    ],
    failed: [],
  },
  { name: 'openapi-backend', command: (port) => ['node', 'openapi-backend.js', String(port), DOCUMENT], failed: [] },
  {
    name: 'express-openapi-validator',
    command: (port) => ['node', 'express-openapi-validator.js', String(port), DOCUMENT],
    failed: [],
  },
]

describe('implementations of others', { concurrency: 2, timeout: 110_000 }, () => {
  before(installOthers)
  for (const { name, command, failed } of OTHERS) {
    test(`${name}: its verdict, and it lives on`, async () => {
      const port = await freePort()
      const [program = '', ...args] = command(port)
      const isNode = program === 'node'
      const child = spawn(isNode ? process.execPath : `${FOLDER}/node_modules/.bin/${program}`, args, {
        cwd: FOLDER,
        stdio: 'ignore',
        env: { ...process.env, HOME: temporaryFolder() },
      })
      endWithTests(child)
      try {
        await listening(port, child)
        const baseUrl = `http://127.0.0.1:${port}/v1`
        const patience = { httpMs: 10_000, rawMs: 1_000 }
        const report = await runConformance({ baseUrl, key: 'other-key', patience })
        assert.equal(report.verdict, 'failed')
        const ids = report.results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
        assert.deepEqual(ids, failed, textReport(report))
        assert.equal(child.exitCode, null)
        assert.ok((await fetch(`${baseUrl}/pets`)).status > 0)
      } finally {
        await stop(child, 'SIGTERM')
      }
    })
  }
})
