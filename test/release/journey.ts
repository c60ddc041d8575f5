/** What a user does with the program, whichever form of it they have. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { User } from './user.ts'

const PAGES = ['/', '/docs', '/openapi.json', '/front-desk.css', '/front-desk.js', '/reference/scalar.js']
const DASHBOARD = ['/', '/dashboard/uplot.js', '/dashboard/uplot.css', '/dashboard/icon.svg']
const REX = { name: 'Rex', categoryId: 1 }

/** From the first key to the conformance kit, over one SQLite file. */
export async function liveWith(user: User, command: readonly string[]): Promise<void> {
  await using service = await user.serve(command, ['--first-key', '--pages'])
  // Without a terminal it is in a file, which is there before the service says that it serves.
  await createWith(service.baseUrl, readFileSync(`${user.folder}/data/first-key`, 'utf8').trim())
  for (const path of PAGES) await assertServed(new URL(path, service.baseUrl))
  for (const path of DASHBOARD) await assertServed(new URL(path, service.operatorUrl))

  const succeed = async (args: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await user.run([...command, ...args], input)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  user.put('animals.csv', 'name,categoryId,status\nLuna,9223372036854775807,available\n')
  await succeed(['import', 'animals.csv'])
  const exported = (await succeed(['export'])).trim().split('\n')
  assert.equal(exported.length, 2)
  assert.match(exported[1] ?? '', /"name":"Luna","categoryId":9223372036854775807,"status":"available"/)
  const wide = ['keys', 'create', '--plan', 'enterprise', '--per-minute', '100000', '--per-day', '100000', '--json']
  const other = JSON.parse(await succeed(wide)) as { key: string }
  const report = await succeed(['check', service.baseUrl, '--key', other.key, '--only', 'R5,R9,R13'])
  assert.match(report, /passed/i)
}

/** Creates and lists an animal over PostgreSQL with Redis. */
export async function scaleOut(user: User, command: readonly string[], database: string, counters: string) {
  await using service = await user.serve(command, ['--database', database, '--counters', counters])
  const made = await user.run([...command, 'keys', 'create', '--plan', 'free', '--json', '--database', database])
  assert.equal(made.code, 0, made.stderr)
  await createWith(service.baseUrl, (JSON.parse(made.stdout) as { key: string }).key)
}

async function createWith(baseUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const created = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify(REX) })
  assert.equal(created.status, 201, await created.clone().text())
  const listed = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  assert.deepEqual(await listed.json(), [await created.json()])
}

async function assertServed(url: URL): Promise<void> {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, url.href)
  assert((await answer.text()).length > 100, url.href)
}
