/**
 * The requests and responses printed in docs/interface.md are those of a fresh service, and so are the examples of the
 * OpenAPI document; both have the same tables of errors and plans.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { GUIDE } from '../../src/contract/guide.ts'
import { ANY_ERROR, OPERATIONS } from '../../src/contract/operations.ts'
import { BUFFERS_FULL } from '../../src/http/error-responses.ts'
import { shellNeeded } from '../support/programs.ts'
import { startService } from '../support/service.ts'
import { inOneMinute } from '../support/until.ts'

const run = promisify(execFile)
const DOCUMENT = `${import.meta.dirname}/../../docs/interface.md`
/** Headers that the document leaves out, as it says. */
const OMITTED = /^(?:content-length|date|cache-control|connection|keep-alive):/i
/** Values that differ between runs. */
const VARYING: [RegExp, string][] = [
  [/^(x-ratelimit-(?:remaining|reset)|retry-after): \d+$/i, '$1: …'],
  [/^(x-request-id): req_[0-9a-f]{12}$/i, '$1: …'],
  [/in \d+ s\./, 'in … s.'],
]

describe('docs/interface.md', () => {
  it('prints real answers to real requests', shellNeeded, async () => {
    await using service = await startService({ operatorPort: 'none' })
    const { key } = await service.issueKey('free')
    const env = { ...process.env, PETS: service.baseUrl, KEY: key }
    const examples = (await readFile(DOCUMENT, 'utf8')).matchAll(/```console\n\$ (.*)\n([\s\S]*?)\n```/g)
    let count = 0
    for (const [, command = '', printed = ''] of examples) {
      const ask = () => run('sh', ['-c', command], { env })
      const refused = () => untilRefused(service.baseUrl, key).then(ask)
      const { stdout } = await (printed.includes(' 429 ') ? inOneMinute(refused) : ask())
      assert.deepEqual(comparable(stdout), comparable(printed), command)
      count += 1
    }
    assert(count >= 7, `${count} examples`)
  })

  it('says of errors and plans what the OpenAPI document says (R14, O8)', async () => {
    const printed = await readFile(DOCUMENT, 'utf8')
    const errors = [...printed.matchAll(/^\| (\d{3}) \| (`\w+`) \| (.*) \|$/gm)].map(([, ...row]) => row)
    const listed = [...GUIDE.matchAll(/^- (\d{3}) (`\w+`): (.*)$/gm)].map(([, ...row]) => row)
    assert.deepEqual(listed, errors)
    const plans = (text: string) => /^\| plan \|.*\n(?:\|.*\n)+/m.exec(text)?.[0]
    assert.equal(plans(printed), plans(GUIDE), 'give docs/interface.md the plans of src/contract/plans.ts')
  })
})

describe('the examples of the OpenAPI document', () => {
  it('are what a service answers, and docs/interface.md has each refusal', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const { key } = await service.issueKey('free')
    const printed = await readFile(DOCUMENT, 'utf8')
    const ask = async (path: string, body?: object, credential = key) => {
      const method = body === undefined ? 'GET' : 'POST'
      const headers = { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' }
      const response = await fetch(`${service.baseUrl}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return [response.status, await response.json()]
    }
    const { listPets, createPet, getPet } = OPERATIONS
    const list = `/pets?${listPets.parameters.map(({ name, example }) => `${name}=${example}`).join('&')}`
    const wrong = { id: 1, name: 7, status: null }
    for (const [response, code, ...request] of [
      [createPet.responses[201], 201, '/pets', createPet.example],
      [createPet.responses[400], 400, '/pets', wrong],
      [createPet.responses[401], 401, '/pets', wrong, 'mistyped'],
      [listPets.responses[200], 200, list],
      [listPets.responses[400], 400, '/pets?limit=0'],
      [getPet.responses[200], 200, `/pets/${getPet.parameters[0].example}`],
      [getPet.responses[404], 404, '/pets/99'],
    ] as const) {
      assert.deepEqual(await ask(...(request as unknown as Parameters<typeof ask>)), [code, response.example])
    }
    for (const { example } of [
      createPet.responses[400],
      createPet.responses[401],
      getPet.responses[404],
      listPets.responses[429],
    ]) {
      assert(printed.includes(JSON.stringify(example)), example.message)
    }
    assert(BUFFERS_FULL.body?.toString().includes(ANY_ERROR.example.message))
  })
})

async function untilRefused(baseUrl: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` }
  while ((await fetch(`${baseUrl}/pets`, { headers })).status !== 429);
}

function comparable(answer: string): string[] {
  const lines = answer.split(/\r?\n/).filter((line) => !OMITTED.test(line))
  return lines.map((line) => {
    const header = /^[\w-]+:/.test(line) ? line.replace(/^[\w-]+/, (name) => name.toLowerCase()) : line
    return VARYING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), header)
  })
}
