/** The requests and responses printed in docs/interface.md are those of a fresh service. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
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
