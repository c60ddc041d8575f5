/** `pets settings`: what the office has under Settings, from the command line. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SETTING_NAMES } from '../../src/domain/settings.ts'
import { pets } from '../support/commands/commands.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'

describe('`pets settings`', () => {
  const database = newDatabase()
  const run = (...args: string[]) => pets([...args, '--database', database])
  const settings = async () => {
    const lines = (await run('settings', '--json')).stdout.trim().split('\n')
    return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ setting, value }) => [setting, value]))
  }

  it('shows each setting, sets it, and removes it', async () => {
    await pets(['import', '--create', '-', '--database', database], { input: 'name,categoryId\nRex,1\n' })
    const names = SETTING_NAMES.filter((name) => !/-..$/.test(name))
    assert.deepEqual(await settings(), Object.fromEntries(names.map((name) => [name, null])))
    assert.equal((await run('settings', 'set', 'sold-fr', 'Parti')).stdout, 'The setting sold-fr is Parti.\n')
    assert.equal((await settings())['sold-fr'], 'Parti')
    assert.equal((await run('settings', 'set', 'sold-fr', '')).stdout, 'The setting sold-fr is removed.\n')
    assert.ok(!('sold-fr' in (await settings())))
  })

  const refused: readonly (readonly [name: string, value: string, why: RegExp])[] = [
    ['colour', 'red', /^colour is not a setting\. `pets settings` lists them\.\n$/],
    ['language', 'xx', /must be one of en, de, fr, es, it, pt, nl, pl\.\n$/],
    ['statuses', 'available,gone', /must be one or more of available, pending, sold, separated by commas\.\n$/],
    ['zone', 'Nowhere/Land', /must be a time zone such as Europe\/Berlin\.\n$/],
    ['page', 'www.example.org', /must begin with https:\/\/ or http:\/\//],
    ['photos', 'http://p.example/{number}', /must begin with https:\/\/ and a host/],
    ['photos', 'https://{number}.example/a', /must begin with https:\/\/ and a host/],
    ['email', 'nobody', /must be an address such as office@example\.org\.\n$/],
    ['animal-pages', 'maybe', /must be yes or no\.\n$/],
    ['sold-fr', 'x'.repeat(21), /must be 1 to 20 printable characters/],
  ]
  for (const [name, value, why] of refused) {
    it(`refuses ${name} = ${value.slice(0, 30)}`, async () => {
      const { code, stderr } = await run('settings', 'set', name, value)
      assert.equal(code, 2)
      assert.match(stderr, why)
    })
  }

  it('has what page.conf of 2.1 said from the first publish on, which names a wrong line and does nothing', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'page.conf'), '# which\nstatus = gone\n')
    const { code, stderr } = await run('publish', folder)
    assert.deepEqual([code, existsSync(join(folder, 'index.html'))], [1, false])
    assert.match(stderr, /line 2 of page\.conf is wrong: status must be one or more of available/)
    writeFileSync(
      join(folder, 'page.conf'),
      'status = pending\nurl = https://a.example/\nphoto-url = https://p.example/{number}\n',
    )
    assert.match((await run('publish', folder)).stderr, /page\.conf were imported into the database, /)
    const { statuses, page, photos } = await settings()
    assert.deepEqual([statuses, page, photos], ['pending', 'https://a.example/', 'https://p.example/{number}'])
    await run('settings', 'set', 'statuses', 'sold')
    assert.equal((await run('publish', folder)).stderr, '')
    assert.equal((await settings()).statuses, 'sold')
  })
})
