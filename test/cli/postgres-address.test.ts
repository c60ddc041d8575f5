/** Addresses of a PostgreSQL with passwords and TLS. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { makeCertificate } from '../support/certificate.ts'
import { assertRefused, pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { notAsRoot } from '../support/servers/servers.ts'
import { pets as petsProcess } from '../support/service.ts'

describe('a PostgreSQL with passwords and TLS', { concurrency: 2, ...postgresNeeded }, () => {
  let server: TestPostgres
  let at: string
  let socket: string
  let ca: string

  before(async () => {
    const folder = temporaryFolder()
    socket = temporaryFolder()
    const { cert, key } = makeCertificate(folder)
    ca = cert
    writeFileSync(
      join(folder, 'hba.conf'),
      'local all all trust\nhost all keeper 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n',
    )
    const { uid, gid } = notAsRoot
    if (uid !== undefined && gid !== undefined)
      for (const file of [folder, socket, cert, key]) chownSync(file, uid, gid)
    const tls = { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key }
    server = await startPostgres({ ...tls, hba_file: join(folder, 'hba.conf'), unix_socket_directories: socket })
    const database = await server.createDatabase()
    const name = new URL(database).pathname.slice(1)
    const admin = new Client(database.replace(/\/\/[^@]*@/, '//admin@'))
    await admin.connect()
    await admin.query(
      `CREATE ROLE keeper LOGIN PASSWORD 'se@cret'; ALTER DATABASE "${name}" OWNER TO keeper; ALTER SCHEMA public OWNER TO keeper`,
    )
    await admin.end()
    at = `127.0.0.1:${server.port}/${name}`
  })
  after(() => server?.stop())

  /** In a process, which must end by itself. */
  const list = (address: string, env: Record<string, string> = {}) =>
    petsProcess(['--quiet', 'keys', 'list', '--database', address], { env })
  const listHere = (address: string) => pets(['--quiet', 'keys', 'list', '--database', address])

  it('refuses an address without its password immediately, for commands and the service', async () => {
    const database = ['--database', `postgres://keeper@${at}`]
    const copy = ['copy', '--to', `sqlite:${temporaryFolder()}/pets.db`, '--from', `postgres://keeper@${at}`]
    for (const args of [
      ['keys', 'list', ...database],
      ['serve', '--port', '0', ...database],
      ['health', ...database],
      copy,
    ]) {
      const startedMs = performance.now()
      const { code, stderr } = await pets(args)
      assert.equal(code, 1)
      assert.match(
        stderr,
        /The database cannot be used: it asks for a password; give it in the address, as PGPASSWORD, /m,
      )
      // The server itself gives up after a minute, the service after 20 s.
      assert.ok(performance.now() - startedMs < 15_000)
    }
  })

  it('takes the password of the address, of PGPASSWORD and of a password file, and connects by a socket', async () => {
    const file = join(temporaryFolder(), 'pgpass')
    writeFileSync(file, '*:*:*:keeper:se@cret\n')
    chmodSync(file, 0o600)
    for (const [address, env] of [
      [`postgres://keeper:se%40cret@${at}`, {}],
      [`postgres://keeper@${at}`, { PGPASSWORD: 'se@cret' }],
      [`postgres://keeper@${at}`, { PGPASSFILE: file }],
      [`postgres://keeper@localhost:${server.port}/${at.split('/')[1]}?host=${socket}`, {}],
    ] as const) {
      const { code, stderr } = await list(address, env)
      assert.deepEqual([code, stderr], [0, ''], address)
    }
  })

  it('is believed by its own CA alone, whatever sslmode checks, and no library warns of it', async () => {
    const url = `postgres://keeper:se%40cret@${at}`
    for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer']) {
      const { code, stderr } = await list(`${url}?sslmode=${mode}&sslrootcert=${ca}`)
      assert.deepEqual([code, stderr], [0, ''], mode)
      const untrusted =
        /^The database cannot be used: its certificate is not trusted \([^\n]*\); [^\n]*sslrootcert=FILE[^\n]*\n$/
      assertRefused(await listHere(`${url}?sslmode=${mode}`), untrusted)
    }
    for (const mode of ['no-verify', 'disable']) assert.equal((await list(`${url}?sslmode=${mode}`)).code, 0, mode)
  })

  it('is not contacted with an unknown sslmode or a missing certificate file', async () => {
    for (const [query, sentence] of [
      [
        'sslmode=bogus',
        'sslmode of --database must be one of verify-full, verify-ca, require, prefer, no-verify, disable.\n',
      ],
      [
        'sslrootcert=/none.pem',
        'The file /none.pem given as sslrootcert of --database cannot be read: it does not exist; check the path.\n',
      ],
    ] as const) {
      const { code, stderr } = await listHere(`postgres://keeper@${at}?${query}`)
      assert.deepEqual([code, stderr], [2, sentence])
    }
  })
})
