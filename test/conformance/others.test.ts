/**
 * The kit on implementations that others make of openapi.json: mock servers, and validators with handlers behind them. None
 * meets the interface, for the reasons that docs/conformance.md explains, and each still answers when the kit has done.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { runConformance } from '../../src/conformance/run.ts'
import { textReport } from '../../src/conformance/text-report.ts'
import { FOLDER, installOthers } from '../other-implementations/install.ts'
import { temporaryFolder } from '../support/folder.ts'
import { endWithTests, freePort, listening, stop } from '../support/servers.ts'

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
}

const OTHERS: readonly Other[] = [
  {
    name: 'Prism',
    command: (port) => ['prism', 'mock', DOCUMENT, '--port', String(port), '--host', '127.0.0.1'],
    failed: ['ids-unique-created', 'create-pending', 'get-missing', 'auth-unknown-key', 'headers-200-list'],
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
    failed: [
      'int64-above-double',
      'create-pending',
      'refuse-without-fields',
      'auth-list-without-key',
      'headers-200-list',
    ],
  },
  {
    name: 'openapi-backend',
    command: (port) => ['node', 'openapi-backend.js', String(port), DOCUMENT],
    failed: ['int64-above-double', 'remaining-falls'],
  },
  {
    name: 'express-openapi-validator',
    command: (port) => ['node', 'express-openapi-validator.js', String(port), DOCUMENT],
    failed: ['int64-above-double', 'refuse-category-too-large', 'remaining-falls', 'method-invented'],
  },
]

describe('implementations of others', { concurrency: 4, timeout: 118_000 }, () => {
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
        assert.deepEqual(
          failed.filter((id) => !ids.includes(id)),
          [],
          textReport(report),
        )
        assert.equal(report.core, 'failed')
        assert.equal(child.exitCode, null)
        assert.ok((await fetch(`${baseUrl}/pets`)).status > 0)
      } finally {
        await stop(child, 'SIGTERM')
      }
    })
  }
})
