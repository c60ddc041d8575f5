/** `--first-key`, the first invitation: shown on a terminal or written to a file, once, and never to a log (O7). */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pets } from '../support/commands/commands.ts'
import { diskNeeded, startFaultyDisk } from '../support/disk/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, remaining } from '../support/http.ts'
import { accept } from '../support/office-client.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { inTerminal, terminalNeeded } from './terminal.ts'

const folder = temporaryFolder()
const SYNC_MS = 100

describe('the first key', { concurrency: 2 }, () => {
  it('--first-key writes a key to a file that only this user can read, once, and never to the log (O7)', async () => {
    const home = `${folder}/first`
    const database = `sqlite:${home}/pets.db`
    const file = `${home}/first-key`
    mkdirSync(home)
    writeFileSync(file, 'somebody reads this', { mode: 0o666 })
    let key = ''
    {
      await using service = await startService({
        operatorPort: 'none',
        database,
        args: ['--first-key', '--log-level', 'debug'],
      })
      key = readFileSync(file, 'utf8').trim()
      assert.match(key, /^pets_[A-Za-z0-9_-]{48}$/)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert(service.output().includes(`the first API key is in ${file}`))
      const answer = await call(service.port, { key })
      assertWhole(answer, 200)
      assert.equal(remaining(answer), 59, 'on the Free plan')
      await service.stop()
      assert.doesNotMatch(service.output(), /pets_/)
    }
    assert(!existsSync(`${home}/first-invitation`), 'there is no office')
    rmSync(file)
    await using again = await startService({ operatorPort: 'none', database, args: ['--first-key'] })
    assert(!existsSync(file))
    assertWhole(await call(again.port, { key }), 200)
  })

  it('is known as soon as it can be read, also while the disk is still storing it', diskNeeded, async () => {
    const home = `${folder}/slow`
    const file = `${home}/first-key`
    const port = await freePort()
    using disk = startFaultyDisk({ delayMs: SYNC_MS })
    const args = ['--first-key', '--port', String(port)]
    const starting = startService({ operatorPort: 'none', database: `sqlite:${home}/pets.db`, args, env: disk.env })
    await until('the key can be read', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
    const answer = await call(port, { key: readFileSync(file, 'utf8').trim() })
    await using _service = await starting
    assertWhole(answer, 200)
  })

  it('if the first key cannot be shown, the start fails and no key is stored', async () => {
    const home = `${folder}/unwritable`
    mkdirSync(`${home}/first-key/full`, { recursive: true })
    const database = ['--database', `sqlite:${home}/pets.db`]
    const { code, stderr } = await pets(['serve', '--port', '0', '--create', '--first-key', ...database])
    assert.equal(code, 1)
    assert.match(stderr, /^The first key cannot be written to .*first-key .*; start without --first-key .*\n$/)
    assert.equal((await pets(['keys', 'list', '--json', ...database])).stdout, '')
  })

  it(
    'on a terminal --first-key shows the key once, with a curl line, and the link into the office once',
    terminalNeeded,
    async () => {
      const database = `sqlite:${folder}/terminal.db`
      const options = '--port 0 --operator-port 0 --office --first-key --create --database'
      const { shown, says, type, ended } = inTerminal('serve', ...options.split(' '), database)
      await says(/found in the database/)
      type('\u0003')
      await ended
      const output = shown()
      const keys = output.match(/pets_[A-Za-z0-9_-]{48}/g) ?? []
      assert.equal(keys.length, 2, 'once by itself, once in the curl line')
      assert.match(output, new RegExp(`curl .*Authorization: Bearer ${keys[0]}' http://127\\.0\\.0\\.1:\\d+/v1/pets`))
      assert.equal(output.match(/ http:\/\/127\.0\.0\.1:\d+\/#invitation=[\w-]{43}\s/g)?.length, 1)
      assert(!existsSync(`${folder}/first-key`) && !existsSync(`${folder}/first-invitation`))
    },
  )

  it('the first operator gets an invite link in a private file, a new one at each start', async () => {
    const home = temporaryFolder()
    const database = `sqlite:${home}/pets.db`
    const file = `${home}/first-invitation`
    const start = () => startService({ database, args: ['--office', '--first-key', '--log-level', 'debug'] })
    const read = () => readFileSync(file, 'utf8').trim()
    let lost = ''
    {
      await using service = await start()
      lost = read()
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert(lost.startsWith(`${service.operatorUrl}/#invitation=`), lost)
      assert(service.output().includes(`is in ${file}; it works once, within 24 hours`))
      assert(!service.output().includes(lost.slice(-43)))
    }
    await using service = await start()
    assert.notEqual(read(), lost)
    assert.equal((await accept(service, read().slice(-43))).session.role, 'operator')
  })
})
