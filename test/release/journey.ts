/** A user's first steps with the program. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { until } from '../support/until.ts'
import type { User } from './user.ts'

const PAGES = ['/', '/docs', '/openapi.json']
const REX = { name: 'Rex', categoryId: 1 }

/** From the first key to a backup, with one SQLite file. */
export async function liveWith(user: User, command: readonly string[]): Promise<void> {
  await using service = await user.serve(command, ['--first-key', '--pages', '--office', '--backup-dir', 'backups'])
  // Without a terminal the key is in a file, which exists before the service reports that it serves.
  await createWith(service.baseUrl, readFileSync(`${user.folder}/data/first-key`, 'utf8').trim())
  for (const path of PAGES) await assertServed(new URL(path, service.baseUrl))
  await assertServed(new URL('/', service.operatorUrl))

  const succeed = (args: readonly string[]) => succeedWith(user, [...command, ...args])
  user.put('animals.csv', 'name,categoryId,status\nLuna,9223372036854775807,available\n')
  await succeed(['import', '--create', 'animals.csv'])
  const exported = (await succeed(['export'])).trim().split('\n')
  assert.equal(exported.length, 2)
  assert.match(exported[1] ?? '', /"name":"Luna","categoryId":9223372036854775807,"status":"available"/)
  await succeed(['keys', 'create', '--plan', 'free'])
  assert.match(await succeed(['publish', 'site']), /^1 animal in site: index\.html, .* written\.\n$/)
  await backUp(user, command)
}

/**
 * Backs up the database while the service runs with `--backup-dir backups`, and restores it in another folder.
 */
async function backUp(user: User, command: readonly string[]): Promise<void> {
  const succeed = (args: readonly string[]) => succeedWith(user, [...command, ...args])
  const sound = /^The database is sound: (\d+ animals), 0 removed, 2 keys, \d+ journal entries\.\n$/
  const [, animals = ''] = sound.exec(await succeed(['verify'])) ?? []
  assert.match(await succeed(['backup', 'saved.db']), new RegExp(`^Backed up and checked: ${animals}, `))
  const fresh = ['--database', 'sqlite:elsewhere/pets.db']
  assert.match(await succeed(['restore', 'saved.db', ...fresh]), new RegExp(`^Restored and checked: ${animals}, `))
  assert.match(await succeed(['verify', ...fresh]), sound)
  assert.equal(await succeed(['export', ...fresh]), await succeed(['export']))
  // The service makes its first backup in another process as soon as it serves.
  const own = () => readdirSync(user.folder).includes('backups') && readdirSync(`${user.folder}/backups`).at(-1)
  await until('the service has made a backup', () => /^pets-.*Z\.db$/.test(own() || ''))
  await succeed(['verify', '--database', `sqlite:backups/${own()}`])
}

async function succeedWith(user: User, command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await user.run(command)
  assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
  return stdout
}

/** Creates and lists an animal. */
export async function createWith(baseUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const created = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify(REX) })
  assert.equal(created.status, 201, await created.clone().text())
  const listed = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  assert.deepEqual(await listed.json(), [await created.json()])
}

/** Fetches the page and everything that it loads. */
async function assertServed(url: URL): Promise<void> {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, url.href)
  const text = await answer.text()
  assert(text.length > 100, url.href)
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return
  const loaded = [...text.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)]
  assert(loaded.length > 1, url.href)
  for (const [, path = ''] of loaded) await assertServed(new URL(path, url))
}
