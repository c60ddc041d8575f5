/** The requests and responses in docs/interface.md and in the OpenAPI document are those of a fresh service. */
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

/** What brings about each refusal that has an example; a 429 is brought about by the console of docs/interface.md. */
const REFUSED: Readonly<Record<number, { path?: string; query?: string; body?: object; key?: string }>> = {
  400: { query: '?limit=0', body: { id: 1, name: 7, status: null } },
  401: { key: 'mistyped' },
  404: { path: '99' },
}

it('examples of the OpenAPI document are real responses, and in docs/interface.md (R7, R9, R11)', async () => {
  await using service = await startService({ operatorPort: 'none' })
  const { key } = await service.issueKey('free')
  const printed = await readFile(DOCUMENT, 'utf8')
  const inOrder = Object.values(OPERATIONS).sort((a, b) => Number('body' in b) - Number('body' in a))
  for (const { method, path, parameters, responses, ...operation } of inOrder) {
    const given = (place: string) => parameters.filter((each) => each.in === place)
    const search = new URLSearchParams(given('query').map(({ name, example }) => [name, `${example}`]))
    for (const [status, { example }] of Object.entries(responses)) {
      // What a wrong query gets is open (O16).
      const isTold = status !== '400' || 'body' in operation
      if (isTold) assert(printed.includes(JSON.stringify(example)), `give docs/interface.md the ${status} of ${path}`)
      assert.doesNotMatch(JSON.stringify(example), /\[\]/, 'a list without a member shows nothing')
      if (status === '429') continue
      const odd = REFUSED[Number(status)] ?? {}
      const target = path.replace(/\{(\w+)\}/, () => odd.path ?? `${given('path')[0]?.example}`)
      const body = 'body' in operation ? JSON.stringify(odd.body ?? operation.example) : null
      const response = await fetch(`${service.baseUrl}${target}${odd.query ?? `?${search}`}`, {
        method,
        body,
        headers: { Authorization: `Bearer ${odd.key ?? key}`, 'Content-Type': 'application/json' },
      })
      assert.deepEqual([response.status, await response.json()], [Number(status), example], `${method} ${target}`)
    }
  }
  assert(BUFFERS_FULL.body?.toString().includes(ANY_ERROR.example.message))
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
