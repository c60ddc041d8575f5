/** `pets health`: what it reports about a running service, and why a service does not run. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import { VERSION } from '../../src/common/version.ts'
import type { Finding } from '../../src/operator/findings.ts'
import { makeCertificate } from '../support/certificate.ts'
import { pets as run } from '../support/commands/commands.ts'
import { alter, temporaryFolder } from '../support/folder.ts'
import { NOBODY, otherUserNeeded } from '../support/other-user.ts'
import { shellNeeded } from '../support/programs.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'
import { until } from '../support/until.ts'
import { startNobody } from './as-nobody.ts'

/** On a busy machine a service might take longer than the command waits. */
const pets: typeof run = (args, surroundings) => run(args, { clock: patientClock, ...surroundings })

type Report = Readonly<Record<string, string>> & { readonly findings: readonly Finding[] }

const reportOf = async (...args: Parameters<typeof pets>): Promise<Report> =>
  JSON.parse((await pets(['health', '--json', ...args[0]], args[1])).stdout)

async function takenPort(): Promise<string> {
  const server = createServer((_request, response) => response.end('<html>'))
    .listen(0, '127.0.0.1')
    .unref()
  await once(server, 'listening')
  return String((server.address() as AddressInfo).port)
}

async function place() {
  const folder = temporaryFolder()
  const path = `${folder}/pets.db`
  await pets(['import', '-', '--create', '--database', `sqlite:${path}`], { input: 'name,categoryId\nRex,1\n' })
  mkdirSync(`${folder}/backups`)
  const env: Record<string, string> = {
    PETS_DATABASE: `sqlite:${path}`,
    PETS_BACKUP_DIR: `${folder}/backups`,
    PETS_OPERATOR_PORT: String(await freePort()),
    PETS_PORT: String(await freePort()),
  }
  return { folder, path, env, run: pets }
}

describe('pets health on a running service', { concurrency: 2 }, () => {
  it('reports facts on standard output and exits 0 without a word on standard error if nothing is wrong', async () => {
    const { folder, path, env } = await place()
    await using service = await startService({ database: `sqlite:${path}`, env })
    await service.says(/backup made and checked/)
    // The service's own note tells its operator port.
    const { code, stdout, stderr } = await pets(['health'], { env: { ...env, PETS_OPERATOR_PORT: '1' } })
    assert.deepEqual([code, stderr], [0, ''])
    const version = RegExp.escape(VERSION)
    for (const line of [
      `version +${version} \\(.*`,
      `service +pets serve ${version}, process ${service.process.pid}, since \\S+, at http.*`,
      `database +sqlite:${path}, schema \\d+, 1 animal`,
      'disk +database \\d+\\.\\d MiB, log \\d+\\.\\d MiB, \\d+\\.\\d GiB free',
      'keys +0',
      'counters +in the database',
      `backups +${folder}/backups, newest 20\\d\\d-\\S+Z`,
    ]) {
      assert.match(stdout, new RegExp(`^${line}$`, 'm'))
    }
    assert.deepEqual((await reportOf([], { env })).findings, [])
    assert.deepEqual(await pets(['health', '--ready'], { env }), {
      code: 0,
      stdout: 'The service is ready.\n',
      stderr: '',
    })
  })

  it('exits 1 for a finding that someone has to look at, and 0 with --ready', async () => {
    const { folder, path, env } = await place()
    await using _service = await startService({ database: `sqlite:${path}`, env })
    writeFileSync(`${folder}/backups/copied`, '')
    utimesSync(`${folder}/backups/copied`, Date.now() / 1000, (Date.now() - 2 * DAY_MS) / 1000)
    const { code, stderr } = await pets(['health'], { env })
    assert.equal(code, 1)
    assert.match(stderr, /^Look at it: The backups were last copied elsewhere on \S+\.\n$/)
    assert.equal((await pets(['health', '--ready'], { env })).code, 0)
  })

  it('says that the database was moved away, as /readyz does, and exits 1 also with --ready', async () => {
    const { path, env } = await place()
    await using service = await startService({ database: `sqlite:${path}`, env })
    renameSync(path, `${path}.away`)
    const asked = async () => (await fetch(`${service.operatorUrl}/readyz`)).status
    await until('the service has noticed', async () => (await asked()) === 503)
    for (const args of [['health'], ['health', '--ready']]) {
      const { code, stderr } = await pets(args, { env })
      assert.equal(code, 1)
      assert.match(stderr, /^Cannot serve: The database \S+pets\.db is no longer the file .*: it was moved, removed or/)
      assert.doesNotMatch(stderr, /another/)
    }
  })

  it('never takes another service for this one, which has its port', async () => {
    const { path, env } = await place()
    await using other = await startService()
    const settings = { ...env, PETS_OPERATOR_PORT: String(other.operatorPort) }
    const { stderr } = await pets(['health'], { env: settings })
    assert.match(
      stderr,
      new RegExp(`^Cannot serve: No service runs on ${path}\\. At \\S+ the service of another database responds`),
    )
    await using _own = await startService({ database: `sqlite:${path}`, env })
    assert.equal((await pets(['health', '--ready'], { env: settings })).code, 0)
  })

  it('asks a service over TLS, whatever host its certificate names', async () => {
    const { folder, path, env } = await place()
    const { cert, key } = makeCertificate(folder)
    const tls = { PETS_OFFICE: '1', PETS_TLS_CERT: cert, PETS_TLS_KEY: key }
    const at = `0.0.0.0:${env.PETS_OPERATOR_PORT}`
    const args = ['--operator-port', at]
    await using _service = await startService({ database: `sqlite:${path}`, env: { ...env, ...tls }, args })
    const here = await reportOf([], { env: { ...env, ...tls, PETS_OPERATOR_PORT: at } })
    assert.match(here.certificate ?? '', /^expires 20/)
  })

  it('on PostgreSQL knows the service by its database, and shows no password', postgresNeeded, async (t) => {
    const postgres = await sharedPostgres()
    t.after(() => postgres.stop())
    const database = await postgres.createDatabase()
    await using service = await startService({ database })
    const env = { PETS_DATABASE: database, PETS_OPERATOR_PORT: String(service.operatorPort) }
    const found = await reportOf([], { env })
    assert.deepEqual(found.findings, [])
    assert.match(found.database ?? '', /^postgres:\/\/[^@]+, schema \d+, 0 animals$/)
  })

  it('mails from cron what is wrong, as docs/operations.md has it', shellNeeded, () => {
    const root = resolve(import.meta.dirname, '../..')
    const page = readFileSync(`${root}/docs/operations.md`, 'utf8')
    const line = /^\*\/15 \* \* \* \* pets (.+)$/m.exec(page)?.[1] ?? assert.fail('no line')
    const PETS_DATABASE = `sqlite:${temporaryFolder()}/none.db`
    const env = { ...process.env, PATH: `${root}:${process.env.PATH}`, PETS_DATABASE }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^Cannot serve: No service runs on \S+none\.db\. There is no database at /)
  })
})

const nobody = otherUserNeeded.skip ? undefined : startNobody()
after(() => nobody?.[Symbol.dispose]())

type Place = Awaited<ReturnType<typeof place>>

/** Broken set-ups, and the sentence about each. */
const BROKEN: Readonly<Record<string, (at: Place) => RegExp | Promise<RegExp>>> = {
  'nothing but a service that was not started': () =>
    /^Cannot serve: No service runs on \S+pets\.db\. Start it, or name/,
  'a mistyped database': ({ folder, env }) => {
    env.PETS_DATABASE = `sqlite:${folder}/pet.db`
    return /There is no database at \S+pet\.db; in its folder there is pets\.db;/
  },
  'a disk that is not mounted': ({ folder, env }) => {
    env.PETS_DATABASE = `sqlite:${folder}/unmounted/pets.db`
    return /There is no database at \S+unmounted\/pets\.db;/
  },
  'a file that was moved away': ({ path }) => {
    renameSync(path, `${path}.away`)
    return /There is no database at \S+pets\.db/
  },
  'a damaged database': ({ path }) => {
    writeFileSync(path, 'this is no database, but it is long enough to be looked at\n'.repeat(50))
    return /the file is not a SQLite database; name another one/
  },
  'the database of a newer version': ({ path }) => {
    alter(path, 'PRAGMA user_version = 99')
    return /was written by a newer version of this software/
  },
  'a port that is taken': async ({ env }) => {
    env.PETS_PORT = await takenPort()
    return new RegExp(`Port ${env.PETS_PORT} is in use by node \\(process ${process.pid}\\)\\. Stop it, or choose`)
  },
  'another program on the operator port': async ({ env }) => {
    env.PETS_OPERATOR_PORT = await takenPort()
    return new RegExp(`Port ${env.PETS_OPERATOR_PORT} is in use by node .* another operator port with --operator-port`)
  },
  'the same port twice': ({ env }) => {
    env.PETS_OPERATOR_PORT = env.PETS_PORT ?? ''
    return /--port and --operator-port are both \d+\. Choose different ports/
  },
  'a backup folder that is a file': ({ folder, env }) => {
    env.PETS_BACKUP_DIR = `${folder}/pets.db`
    return /Backups cannot be written to \S+pets\.db given as --backup-dir: /
  },
  'a page folder that cannot be made': ({ env }) => {
    env.PETS_PUBLISH = '/proc/x'
    return /The public page cannot be written to \/proc\/x given as --publish: /
  },
  'TLS files that are not there': ({ folder, env }) => {
    env.PETS_TLS_CERT = `${folder}/none.pem`
    env.PETS_TLS_KEY = `${folder}/none.pem`
    return /The file \S+none\.pem given as --tls-cert cannot be read: it does not exist/
  },
  'an office without TLS on the network': ({ env }) => {
    env.PETS_OFFICE = 'yes'
    env.PETS_OPERATOR_PORT = '0.0.0.0:8081'
    return /The office needs TLS at 0\.0\.0\.0/
  },
  'Redis away': async ({ env }) => {
    env.PETS_COUNTERS = `redis://127.0.0.1:${await freePort()}`
    return /^Look at it: The shared counters do not work \(.*ECONNREFUSED.*\); this node counts by itself until they work again\.$/m
  },
  ...(nobody && {
    'a database of another user': (at: Place) => {
      at.run = nobody.pets
      for (const path of [at.folder, `${at.folder}/backups`]) chownSync(path, NOBODY, NOBODY)
      return /The database \S+pets\.db cannot be used: this user cannot write to it; give the user write permission/
    },
  }),
  'no backups': ({ env }) => {
    delete env.PETS_BACKUP_DIR
    return /^Look at it: No backups are made: set `backup-dir` to a folder on another disk\.$/m
  },
  'a certificate that expires soon': ({ folder, env }) => {
    const { cert, key } = makeCertificate(folder, { days: 2 })
    Object.assign(env, { PETS_TLS_CERT: cert, PETS_TLS_KEY: key })
    return /^Look at it: The certificate in use expires on \d{4}-/m
  },
  'a clock that was wrong': ({ path }) => {
    alter(path, `UPDATE journal SET at_ms = ${Date.now() + DAY_MS}`)
    return /^Look at it: The clock of this machine says \S+, but the database contains an entry from \S+\. Correct the clock/m
  },
  'an empty database beside a backup with animals': async ({ folder, path, env }) => {
    await pets(['backup', join(folder, 'backups', 'by-hand.db')], { env })
    await pets(['remove', '1', '--database', `sqlite:${path}`])
    return /^Look at it: The database contains no animals, but \S+by-hand\.db contains 1 animal\./m
  },
}

describe('pets health without a service names what is wrong', { concurrency: 2 }, () => {
  for (const [what, breakIt] of Object.entries(BROKEN)) {
    it(`if there is ${what}`, async () => {
      const at = await place()
      const sentence = await breakIt(at)
      const { code, stderr } = await at.run(['health'], { env: at.env })
      assert.equal(code, 1)
      assert.match(stderr, sentence)
      assert.doesNotMatch(stderr, /\n\s+at |another service/)
      assert.match(stderr, /^Cannot serve: No service runs on /)
    })
  }

  it('by exit code 2 if there is an invalid setting', async () => {
    const file = `${temporaryFolder()}/pets.conf`
    writeFileSync(file, 'prot = 1\n')
    const { code, stderr } = await pets(['health', '--config', file])
    assert.deepEqual([code, stderr], [2, `error: line 1 of ${file}: prot is not a setting.\n`])
  })
})
