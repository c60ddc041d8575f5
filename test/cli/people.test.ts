/** `pets people` beside the running service, and the invitation of the first operator. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { assertRefused, commandsOn, pets } from '../support/commands/commands.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'
import { accept, askOffice, PASSPHRASE } from '../support/office-client.ts'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { sharedPostgres } from '../support/servers/shared-postgres.ts'
import { startService } from '../support/service.ts'

const UNKNOWN = '(?:No running service says where its office is, .* with --office-url\\.\\n)'

/** Whether it is the whole output with a link to the office at `url`. */
const isLink = (text: string, url: string) => text.startsWith(`${url}/#`) && /#invitation=[\w-]{43}\n$/.test(text)

/** What is said with a link of a manager. */
const toldOf = (name: string, more = '') =>
  new RegExp(`^${name} may use it once, until \\S+Z, as manager; it is shown only now\\.\\n${more}$`)

describe('pets people', { concurrency: 2 }, () => {
  it('invites, lists and revokes beside the running service', async () => {
    const database = newDatabase()
    await using service = await startService({ database, args: ['--office'] })
    const file = database.replace(/^sqlite:(.*)pets\.db$/, '$1first-invitation')
    assert(!existsSync(file), 'nobody is invited without --first-key')
    const of = ['--database', database]
    const office = service.operatorUrl
    const invited = await pets(['people', 'invite', '--create', 'Ada Löwe', '--role', 'manager', ...of])
    assert.deepEqual([invited.code, isLink(invited.stdout, office)], [0, true], invited.stderr)
    assert.match(invited.stderr, toldOf('Ada Löwe'))
    const url = 'https://office.example'
    const json = await pets(['people', 'invite', 'Bo', '--role', 'viewer', '--json', '--office-url', url, ...of])
    assert.partialDeepStrictEqual(JSON.parse(json.stdout), { name: 'Bo', role: 'viewer' })
    assert.match(json.stdout, /"link":"https:\/\/office\.example\/#invitation=[\w-]{43}"/)
    const invitation = invited.stdout.trim().replace(/^.*=/, '')
    assert.equal(
      (await askOffice(service, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE })).status,
      200,
    )
    const table = await pets(['people', 'list', ...of])
    assert.match(
      table.stdout,
      /^NAME +ROLE +STATE +INVITED +LAST SEEN\nAda Löwe +manager +active +\S+Z +\S+Z\nBo +viewer +invited +\S+Z +-\n$/,
    )
    const states = (await commandsOn(database).told('people', 'list')).map(({ state }) => state)
    assert.deepEqual(states, ['active', 'invited'])
    const revoked = await pets(['people', 'revoke', 'Ada Löwe', ...of])
    assert.deepEqual([revoked.code, revoked.stdout], [0, 'Ada Löwe is revoked.\n'])
    const signIn = await askOffice(service, 'POST', '/api/session', { name: 'Ada Löwe', passphrase: PASSPHRASE })
    assert.equal(signIn.status, 401)
    const link = await pets(['people', 'reset', 'ada lowe', ...of])
    assert.deepEqual([link.code, isLink(link.stdout, office)], [0, true], link.stderr)
    assert.match(link.stderr, toldOf('Ada Löwe'))
    const role = await pets(['people', 'role', 'Ada Löwe', 'operator', ...of])
    assert.deepEqual([role.code, role.stdout], [0, 'Ada Löwe is operator now.\n'])
    const again = await pets(['people', 'role', 'ada löwe', 'operator', ...of])
    assert.deepEqual([again.code, again.stdout], [0, 'ada löwe is operator already; nothing was changed.\n'])
    const ada = await accept(service, link.stdout.trim().replace(/^.*=/, ''))
    assert.equal(ada.session.role, 'operator')
    assert.equal((await ada.ask('DELETE', '/api/session')).status, 204)
    const body = { name: 'Ada Löwe', passphrase: PASSPHRASE }
    assert.equal((await askOffice(service, 'POST', '/api/session', body)).status, 200)
    const out = await pets(['people', 'sign-out', 'ada lowe', ...of])
    assert.deepEqual([out.code, out.stdout], [0, 'ada lowe is signed out everywhere.\n'])
    const last = await pets(['people', 'role', 'Ada Löwe', 'staff', ...of])
    assert.match(
      last.stderr,
      /^Nobody is an operator any more; `\S+ people invite NAME --role operator` makes one\.\n$/,
    )
    assert.equal((await pets(['people', 'revoke', 'Ada Löwe', ...of])).stderr, '', 'that is told once')
    const renamed = await pets(['people', 'rename', 'ada lowe', 'Ada Ruiz', ...of])
    assert.deepEqual([renamed.code, renamed.stdout], [0, 'ada lowe is Ada Ruiz now.\n'])
    const taken = await pets(['people', 'rename', 'Bo', 'ADA LÖWE', ...of])
    assert.deepEqual([taken.code, taken.stderr], [1, 'Nobody was renamed: Ada Ruiz had this name before.\n'])
    const journal = await pets(['journal', ...of])
    assert.match(journal.stdout, /cli \S+ +revoke person +- +\{"person":"Ada Löwe","role":"manager"\}/)
    assert.match(journal.stdout, /Ada Löwe +accept invitation/)
    assert.match(journal.stdout, /cli \S+ +reset passphrase +- +\{"person":"Ada Löwe","role":"manager"\}/)
    assert.match(journal.stdout, /cli \S+ +change role +- +\{"person":"Ada Löwe","role":"manager"\} +\{.*"operator"\}/)
    assert.match(journal.stdout, /Ada Löwe +sign out/)
    assert.match(journal.stdout, /cli \S+ +sign out everywhere/)
    assert(!service.output().includes(invitation))
  })

  it(
    'on PostgreSQL gives a link of this machine, since nodes that share it may be anywhere',
    postgresNeeded,
    async (t) => {
      const postgres = await sharedPostgres()
      t.after(() => postgres.stop())
      const of = ['--role', 'manager', '--create', '--database', await postgres.createDatabase()]
      const { stdout, stderr } = await pets(['people', 'invite', 'Ada', ...of])
      assert(isLink(stdout, 'http://127.0.0.1:8081'), stdout)
      assert.match(stderr, toldOf('Ada', UNKNOWN))
    },
  )

  it('gives the link of the service that runs, and says so where none does', async () => {
    const database = newDatabase()
    const invite = (name: string) =>
      pets(['people', 'invite', '--create', name, '--role', 'staff', '--database', database])
    const unknown = new RegExp(`\\n${UNKNOWN}$`)
    const url = 'https://office.example'
    const service = await startService({ database, args: ['--office', '--office-url', url] })
    const known = await invite('Ada')
    assert(isLink(known.stdout, url), known.stdout)
    assert.doesNotMatch(known.stderr, unknown)
    await service.kill()
    const after = await invite('Bo')
    assert(isLink(after.stdout, 'http://127.0.0.1:8081'), after.stdout)
    assert.match(after.stderr, unknown)
    await using other = await startService({ operatorPort: 'none', database })
    assert.match((await invite('Cy')).stderr, unknown, `${other.baseUrl} has no office`)
  })

  it('refuses what cannot be done, in one sentence', async () => {
    const database = newDatabase()
    const of = ['--database', database]
    await pets(['people', 'invite', '--create', 'José', '--role', 'staff', ...of])
    for (const [line, text] of [
      ['invite jose --role staff', /Nobody was invited: there is José already; `pets people reset` gives/],
      ['invite José --role operator', /Nobody was invited: there is José already/],
      ['reset Nobody', /There is nobody of this name/],
      ['role Nobody staff', /There is nobody of this name/],
      ['sign-out Nobody', /There is nobody of this name/],
      ['revoke Nobody', /There is nobody of this name/],
    ] as const) {
      const done = await pets(['people', ...line.split(' '), ...of])
      assertRefused(done, text)
      assert.equal(done.stderr.trim().split('\n').length, 1, done.stderr)
    }
    const [jose, ...more] = await commandsOn(database).told('people', 'list')
    assert.partialDeepStrictEqual(jose, { name: 'José', role: 'staff', state: 'invited' })
    assert.deepEqual(more, [])
  })
})

describe('the first operator', { concurrency: 2 }, () => {
  it('is invited by a link in a file that only this user can read, anew until it is accepted, and never in the log', async () => {
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
      assert(service.output().includes(`comes into the office is in ${file}`))
      assert(!service.output().includes(lost.slice(-43)))
    }
    {
      await using service = await start()
      assert.notEqual(read(), lost)
      const accept = (link: string) =>
        askOffice(service, 'POST', '/api/invitation', { invitation: link.slice(-43), passphrase: PASSPHRASE })
      assert.equal((await accept(lost)).status, 404)
      const accepted = await accept(read())
      assert.equal(accepted.status, 200)
      assert.partialDeepStrictEqual(accepted.json, { role: 'operator' })
    }
    await using again = await start()
    assert(!again.output().includes('comes into the office'))
  })
})
