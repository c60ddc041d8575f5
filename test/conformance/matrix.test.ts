/** `pets check matrix`: reports side by side on one page that works without a script. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { checkCommand } from 'pet-adoption-conformance'
import { temporaryFolder } from '../support/folder.ts'
import { type Behaviour, CORRECT } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'

const EVIL = '<script>alert(1)</script>'

it('each requirement has a cell for each report: how many passed, what failed, and what was not judged', async () => {
  const folder = temporaryFolder()
  const servers: Readonly<Record<string, Partial<Behaviour>>> = {
    right: {},
    'no limits': { limitHeaders: () => ({}) },
    markup: { finish: (reply) => (reply.status === 404 ? { ...reply, body: '{}', headers: { Server: EVIL } } : reply) },
  }
  const files: string[] = []
  for (const [name, change] of Object.entries(servers)) {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify(await runKit({ change: { ...CORRECT, ...change }, limitedKey: undefined })))
    files.push(file)
  }
  let page = ''
  const print = async (text: string): Promise<void> => {
    page += text
  }
  await checkCommand({ print, failure: (sentence) => new Error(sentence) }).parseAsync(['matrix', ...files], {
    from: 'user',
  })
  assert.ok(!page.includes('<script'))
  const cells = (requirement: string): readonly string[] =>
    [...(new RegExp(`<tr id="${requirement}".*?</tr>`, 's').exec(page)?.[0] ?? '').matchAll(/<td class="(\w+)">/g)].map(
      ([, standing = '']) => standing,
    )
  assert.deepEqual(cells('R7'), ['passed', 'passed', 'passed'])
  assert.deepEqual(cells('R15'), ['partly', 'failed', 'failed'])
  assert.deepEqual(cells('R16'), ['untested', 'untested', 'untested'])
  assert.equal(page.split('<tr id="R').length - 1, 16)
  assert.match(page, /<code>[\w-]+<\/code>: not judged because of [\w-]+</)
  for (const name of Object.keys(servers)) assert.match(page, new RegExp(`<th scope="col">${name}<br>`))
})
