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
    const { run, done, told } = commandsOn(database)
    const office = service.operatorUrl
    const invited = await run('people', 'invite', '--create', 'Ada Löwe', '--role', 'manager')
    assert.deepEqual([invited.code, isLink(invited.stdout, office)], [0, true], invited.stderr)
    assert.match(invited.stderr, toldOf('Ada Löwe'))
    const url = 'https://office.example'
    const json = await done('people', 'invite', 'Bo', '--role', 'viewer', '--json', '--office-url', url)
    assert.partialDeepStrictEqual(JSON.parse(json), { name: 'Bo', role: 'viewer' })
    assert.match(json, /"link":"https:\/\/office\.example\/#invitation=[\w-]{43}"/)
    const invitation = invited.stdout.trim().replace(/^.*=/, '')
    const accepted = await askOffice(service, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE })
    assert.equal(accepted.status, 200)
    assert.match(
      await done('people', 'list'),
      /^NAME +ROLE +STATE +INVITED +LAST SEEN\nAda Löwe +manager +active +\S+Z +\S+Z\nBo +viewer +invited +\S+Z +-\n$/,
    )
    const states = (await told('people', 'list')).map(({ state }) => state)
    assert.deepEqual(states, ['active', 'invited'])
    const signIn = async (name: string) =>
      (await askOffice(service, 'POST', '/api/session', { name, passphrase: PASSPHRASE })).status
    assert.equal(await done('people', 'revoke', 'Ada Löwe'), 'Ada Löwe is revoked.\n')
    assert.equal(await signIn('Ada Löwe'), 401)
    const link = await run('people', 'reset', 'ada lowe')
    assert.deepEqual([link.code, isLink(link.stdout, office)], [0, true], link.stderr)
    assert.match(link.stderr, toldOf('Ada Löwe'))
    assert.equal(await done('people', 'role', 'Ada Löwe', 'operator'), 'Ada Löwe is operator now.\n')
    const again = await done('people', 'role', 'ada löwe', 'operator')
    assert.equal(again, 'ada löwe is operator already; nothing was changed.\n')
    const ada = await accept(service, link.stdout.trim().replace(/^.*=/, ''))
    assert.equal(ada.session.role, 'operator')
    assert.equal((await ada.ask('DELETE', '/api/session')).status, 204)
    assert.equal(await signIn('Ada Löwe'), 200)
    assert.equal(await done('people', 'sign-out', 'ada lowe'), 'ada lowe is signed out everywhere.\n')
    assert.match(
      (await run('people', 'role', 'Ada Löwe', 'staff')).stderr,
      /^Nobody is an operator any more; `\S+ people invite NAME --role operator` makes one\.\n$/,
    )
    assert.equal((await run('people', 'revoke', 'Ada Löwe')).stderr, '', 'that is told once')
    assert.equal(await done('people', 'rename', 'ada lowe', 'Ada Ruiz'), 'ada lowe is Ada Ruiz now.\n')
    const taken = await run('people', 'rename', 'Bo', 'ADA LÖWE')
    assert.deepEqual([taken.code, taken.stderr], [1, 'Nobody was renamed: Ada Ruiz had this name before.\n'])
    const journal = await done('journal')
    for (const entry of [
      /cli \S+ +revoke person +- +\{"person":"Ada Löwe","role":"manager"\}/,
      /Ada Löwe +accept invitation/,
      /cli \S+ +reset passphrase +- +\{"person":"Ada Löwe","role":"manager"\}/,
      /cli \S+ +change role +- +\{"person":"Ada Löwe","role":"manager"\} +\{.*"operator"\}/,
      /Ada Löwe +sign out/,
      /cli \S+ +sign out everywhere/,
    ])
      assert.match(journal, entry)
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
