/** When `pets serve` refuses to start: ports, addresses and databases that it cannot use, each told in one sentence. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { pets } from '../support/commands/commands.ts'
import { alter, temporaryFolder } from '../support/folder.ts'
import { NOBODY, otherUserNeeded } from '../support/other-user.ts'
import { startService } from '../support/service.ts'
import { startNobody } from './as-nobody.ts'

const folder = temporaryFolder()
const isRoot = process.getuid?.() === 0

describe('serve refuses to start, in one sentence', { concurrency: 2 }, () => {
  const refused = async (args: string[], text: RegExp, create = ['--create'], run = pets, exitCode = 1) => {
    const { code, stderr } = await run(['serve', '--port', '0', '--log-level', 'error', ...create, ...args])
    assert.equal(code, exitCode, stderr)
    assert.match(stderr, text)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
    // It runs beside a service, so that one is no reason.
    if (/Another `pets serve`/.test(stderr)) return
    const settings = ['--port', '0', ...args].flatMap((name, index, all) =>
      index % 2 === 0 ? [[`PETS_${name.slice(2).toUpperCase().replaceAll('-', '_')}`, String(all[index + 1])]] : [],
    )
    const env = { ...Object.fromEntries(settings), PETS_CREATE: String(create.length > 0) }
    const checked = await run(['--quiet', 'config', '--check'], { env })
    assert.deepEqual([checked.code, checked.stderr], [exitCode, stderr], 'pets config --check says the same')
  }

  it('on a port that is in use, the public or the operator’s', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    assert(address !== null && typeof address === 'object')
    const database = ['--database', `sqlite:${folder}/port.db`]
    await refused(
      [...database, '--port', String(address.port)],
      new RegExp(`Port ${address.port} is in use .* another public port with --port`),
    )
    await refused([...database, '--operator-port', String(address.port)], /another operator port with --operator-port/)
    assert(!existsSync(`${folder}/port.db`), 'and no database is made, or migrated, before')
    taken.close()
  })

  it('on an address that is not this machine’s', () =>
    refused(
      ['--host', '203.0.113.1', '--database', `sqlite:${folder}/host.db`],
      /does not have the address 203\.0\.113\.1/,
    ))

  it('while another serve runs on the same file, also by another name', async () => {
    const database = `sqlite:${folder}/one.db`
    const first = await startService({ operatorPort: 'none', database })
    await refused(['--database', database], /Another `pets serve` is running on .*one\.db; stop it first/)
    execFileSync('ln', ['-s', 'one.db', `${folder}/two.db`])
    await refused(['--database', `sqlite:${folder}/two.db`], /Another `pets serve` is running/)
    await first.kill()
    await using second = await startService({ operatorPort: 'none', database })
    assert.match(second.baseUrl, /^http/)
  })

  it('on a file that is not a database, another program’s, damaged, newer, a folder, or without a name', async () => {
    const at = (name: string) => `${folder}/${name}`
    const refusedOf = (name: string, text: RegExp) => refused(['--database', `sqlite:${at(name)}`], text)
    writeFileSync(at('text.db'), 'this is no database, but it is long enough to be looked at\n'.repeat(50))
    await refusedOf('text.db', /is not a SQLite database; name another one/)

    alter(at('theirs.db'), 'CREATE TABLE invoices (id INTEGER)')
    await refusedOf('theirs.db', /is a SQLite database of some other program; name another file/)
    assert.throws(() => alter(at('theirs.db'), 'SELECT * FROM pets'), /no such table/, 'and is left alone')

    await pets(['keys', 'create', '--create', '--plan', 'free', '--database', `sqlite:${at('newer.db')}`])
    alter(at('newer.db'), 'PRAGMA user_version = 99')
    await refusedOf('newer.db', /was written by a newer version of this software .*; update the software/)

    await pets(['import', '--create', '-', '--database', `sqlite:${at('cut.db')}`], {
      input: `name,categoryId\n${'x,1\n'.repeat(5_000)}`,
    })
    execFileSync('truncate', ['-s', '20480', at('cut.db')])
    await refusedOf('cut.db', /the file is damaged; restore it from a backup/)

    mkdirSync(at('folder.db'))
    await refusedOf('folder.db', /cannot be opened/)
    await refusedOf('text.db/x.db', /text\.db is a file, not a folder/)
  })

  // Root can write anywhere, so as root another user runs the commands.
  it(
    'on a file, or in a folder, that this user has no permission to write',
    isRoot ? otherUserNeeded : {},
    async () => {
      using nobody = isRoot ? startNobody() : undefined
      const path = temporaryFolder()
      await pets(['keys', 'create', '--create', '--plan', 'free', '--database', `sqlite:${path}/pets.db`])
      if (isRoot) execFileSync('chown', ['-R', String(NOBODY), path])
      const rows = [
        ['pets.db', /^The database \S+\/pets\.db cannot be used: this user cannot write to it/],
        ['new.db', /^The database cannot be made in \S+ given as --database: this user \(\S+\) cannot write in/],
      ] as const
      execFileSync('chmod', ['-R', 'a-w', path])
      try {
        for (const [name, text] of rows) {
          await refused(['--database', `sqlite:${path}/${name}`], text, ['--create'], nobody?.pets)
        }
      } finally {
        execFileSync('chmod', ['-R', 'u+w', path])
      }
    },
  )

  it('with exit code 2 if the named database does not exist, and creates nothing without --create', async () => {
    const missing = `${folder}/not-mounted/deep/pets.db`
    const refusedOf = (path: string, text: RegExp) => refused(['--database', `sqlite:${path}`], text, [], pets, 2)
    await refusedOf(missing, /There is no database at \/.*not-mounted\/deep\/pets\.db/)
    assert(!existsSync(`${folder}/not-mounted`))
    await using service = await startService({ operatorPort: 'none', database: `sqlite:${missing}` })
    assert.match(service.baseUrl, /^http/)
    await refusedOf(
      `${folder}/not-mounted/deep/petz.db`,
      /There is no database at \/.*petz\.db; in its folder there is pets\.db; /,
    )
  })
})
