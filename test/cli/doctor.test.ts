/** `pets doctor`: a page that says how everything is, changes nothing, and shows no secret. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/common/clock.ts'
import { VERSION } from '../../src/common/version.ts'
import { makeCertificate } from '../support/certificate.ts'
import { pets } from '../support/commands/commands.ts'
import { EARLIER_VERSION, makeEarlierFile } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { shellNeeded } from '../support/programs.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'
import { dayWith } from '../support/until.ts'

interface Told {
  readonly version: string
  readonly database: {
    url: string
    schema: number
    keys: number
    freeBytes: number
    nearLimit: readonly { id: string }[]
    ending: readonly { id: string; label: string }[]
  }
  readonly service?: { readonly pid: number; readonly version: string; readonly operatorUrl: string }
  readonly backup?: { readonly file: string; readonly madeAt: string }
  readonly certificateEndsAt?: string
  readonly trouble: readonly string[]
}

const told = async (args: string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await pets(['doctor', '--json', ...args], { env })
  return { code, stderr, ...(JSON.parse(stdout) as Told) }
}

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** The files of a folder by name, byte for byte. A reader leaves an empty log and its index. */
const contentOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('-shm') && statSync(`${folder}/${name}`).size > 0)
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex'),
    ])

describe('pets doctor', { concurrency: 2 }, () => {
  it('says how a service and its database are, and exits 0 when there is no trouble', async () => {
    const folder = temporaryFolder()
    const database = `sqlite:${folder}/pets.db`
    const env = { PETS_BACKUP_DIR: `${folder}/backups` }
    await using service = await startService({ database, env, args: ['--office'] })
    await service.says(/backup made and checked/)
    const { key } = await service.issueKey()
    // By a setting that the service was not started with: its own note says where it is.
    const { code, stderr, ...found } = await told(['--database', database], env)
    assert.deepEqual([code, stderr, found.trouble], [0, '', []])
    assert(found.version.startsWith(`${VERSION} (`))
    assert.partialDeepStrictEqual(found.service, {
      pid: service.process.pid,
      version: VERSION,
      operatorUrl: service.operatorUrl,
    })
    assert.deepEqual([found.database.url, found.database.keys], [database, 1])
    assert(found.database.freeBytes > 0)
    await pets(['keys', 'create', '--plan', 'free', '--label', 'Ends', '--expires', inDays(6), '--database', database])
    await pets(['keys', 'create', '--plan', 'free', '--expires', inDays(8), '--database', database])
    const copied = `${folder}/backups/copied`
    writeFileSync(copied, '')
    utimesSync(copied, Date.now() / 1000, (Date.now() - 2 * DAY_MS) / 1000)
    const later = await told(['--database', database], env)
    assert.deepEqual(
      later.database.ending.map(({ label }) => label),
      ['Ends'],
    )
    assert.deepEqual([later.code, later.trouble.length], [1, 1], 'what the service says is not said again')
    assert.match(later.trouble[0] ?? '', /is ready: the backups were last copied elsewhere on /)
    writeFileSync(copied, 'now')
    const page = await pets(['doctor', '--database', database], { env })
    assert.equal(page.code, 0, page.stderr)
    for (const line of [
      `version     ${VERSION} (`,
      `database    ${database}\n`,
      `process ${service.process.pid}, since`,
    ]) {
      assert(page.stdout.includes(line), page.stdout)
    }
    assert.match(page.stdout, /^state +The service at \S+ is ready\.$/m)
    assert(!page.stdout.includes(key))
  })

  it('tells each trouble in a sentence, and exits 1', async () => {
    const folder = temporaryFolder()
    const path = `${folder}/pets.db`
    const database = `sqlite:${path}`
    const { stdout } = await pets(['keys', 'create', '--create', '--plan', 'free', '--json', '--database', database])
    const { id, perDay } = JSON.parse(stdout) as { readonly id: string; readonly perDay: number }
    const file = new DatabaseSync(path, { timeout: 5_000 })
    await dayWith(60_000)
    const today = Math.floor(Date.now() / DAY_MS)
    file.exec(`INSERT INTO counters SELECT lineage, 0, 0, ${today}, ${perDay - 1}, '[]', 0, 0 FROM keys`)
    file.exec(`UPDATE keys SET last_used_at_ms = ${Date.now() + HOUR_MS}`)
    // Of the same lineage, and not in force any more.
    file.exec(`CREATE TEMP TABLE others AS SELECT * FROM keys;
      UPDATE others SET id = 'key_revoked', hash = 'r', revoked_at_ms = 1, expires_at_ms = ${Date.now() + DAY_MS};
      INSERT INTO keys SELECT * FROM others;
      UPDATE others SET id = 'key_expired', hash = 'e', revoked_at_ms = NULL, expires_at_ms = ${Date.now()};
      INSERT INTO keys SELECT * FROM others`)
    file.close()
    const backups = temporaryFolder()
    writeFileSync(`${backups}/pets-2020-01-02T030405Z.db`, '')
    const { cert } = makeCertificate(backups, { days: 2 })
    const env = { PETS_BACKUP_DIR: backups, PETS_TLS_CERT: cert, PETS_OPERATOR_PORT: String(await freePort()) }
    const before = contentOf(folder)
    const { code, stderr, ...found } = await told(['--database', database], env)
    assert.equal(code, 1)
    assert.deepEqual(contentOf(folder), before, 'nothing is changed')
    assert.equal(found.backup?.file, `${backups}/pets-2020-01-02T030405Z.db`)
    assert.equal(found.backup?.madeAt, '2020-01-02T03:04:05.000Z')
    assert.equal(found.service, undefined)
    for (const sentence of [
      /^The clock of this machine says .*, and the database knows of .*: one of them was wrong\.$/m,
      /^No service runs on \S+pets\.db\. Start it/m,
      /^The newest backup in .* is twice as old as it should be\.$/m,
      /^The certificate .*cert\.pem ends on \d{4}-/m,
    ]) {
      assert.match(stderr, sentence)
      assert(found.trouble.some((trouble) => sentence.test(trouble)))
    }
    const watched = [found.database.nearLimit, found.database.ending].map((keys) => keys.map((key) => key.id))
    assert.deepEqual(watched, [[id], []])
    assert.match(stderr, new RegExp(`^The key ${id} has used ${perDay - 1} of its ${perDay} requests`, 'm'))
  })

  it('reads a database of an earlier version as it is, and says what cannot be read in a sentence', async () => {
    const folder = temporaryFolder()
    const path = `${folder}/pets.db`
    makeEarlierFile(path)
    const earlier = await told(['--database', `sqlite:${path}`])
    assert.equal(earlier.database.schema, EARLIER_VERSION)
    writeFileSync(`${folder}/text.db`, 'this is no database, but it is long enough to be looked at\n'.repeat(50))
    for (const name of ['text', 'none']) {
      const { code, stderr } = await told(['--database', `sqlite:${folder}/${name}.db`])
      assert.equal(code, 1)
      assert.match(stderr, /is not a SQLite database|There is no database at/)
      assert.doesNotMatch(stderr, /\n {4}at /)
    }
  })

  it('does the same on PostgreSQL, without the password', postgresNeeded, async (t) => {
    const postgres = await sharedPostgres()
    t.after(() => postgres.stop())
    const database = await postgres.createDatabase()
    const unready = await told(['--database', database])
    assert.match(unready.stderr, /has no tables of this version yet; start the service once/)
    await using service = await startService({ database })
    await service.issueKey()
    const env = { PETS_DATABASE: database, PETS_OPERATOR_PORT: new URL(service.operatorUrl).port }
    const { code, stderr, ...found } = await told([], env)
    assert.deepEqual([code, found.trouble, found.database.keys], [0, [], 1], stderr)
    const { password } = new URL(database)
    assert(password === '' || !JSON.stringify(found).includes(password))
    assert(!found.database.url.includes('@'))
  })

  it(
    'runs from cron as docs/operations.md says: what is wrong goes to standard error, and nothing else',
    shellNeeded,
    () => {
      const root = resolve(import.meta.dirname, '../..')
      const page = readFileSync(`${root}/docs/operations.md`, 'utf8')
      const line = /^\*\/15 \* \* \* \* pets (.+)$/m.exec(page)?.[1]
      assert(line !== undefined)
      const env = {
        ...process.env,
        PATH: `${root}:${process.env.PATH}`,
        PETS_DATABASE: `sqlite:${temporaryFolder()}/none.db`,
      }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' })
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, /^There is no database at [^\n]+\n/)
    },
  )
})
