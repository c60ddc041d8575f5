/** The sources of settings, `npm start`, `./pets`, and the default database. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Command, Option } from 'commander'
import { Cli } from '../../src/cli/cli.ts'
import { option } from '../../src/cli/options.ts'
import { applySettings } from '../../src/cli/settings.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { as, NOBODY, otherUserNeeded } from '../support/other-user.ts'
import { skipUnless } from '../support/programs.ts'
import { freePort } from '../support/servers/servers.ts'
import { startProgram } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'

const cliWith = (env: Record<string, string>) => {
  const quiet = { write() {} }
  return new Cli({ env, cwd: folder, clock: patientClock, stdin: Readable.from([]), stdout: quiet, stderr: quiet })
}

const ROOT = resolve(import.meta.dirname, '../..')
const folder = temporaryFolder()

describe('the settings of pets serve', { concurrency: 2 }, () => {
  it('switches accept the usual words, and an empty variable counts as not set', () => {
    const read = (variable: string, ...flags: string[]) => {
      const cli = cliWith({ PETS_PAGES: variable })
      const command = new Command()
        .addOption(option('--pages', ''))
        .addOption(new Option('--no-pages'))
        .exitOverride()
        .configureOutput({ writeErr: () => {} })
        .hook('preAction', (command) => void applySettings(cli, command))
        .action(() => {})
      return command.parse(flags, { from: 'user' }).opts().pages as boolean | undefined
    }
    for (const on of ['1', 'True', 'yes', 'on']) assert.equal(read(on), true, on)
    for (const off of ['0', 'false', 'No', 'OFF']) assert.equal(read(off), false, off)
    assert.equal(read(''), undefined)
    assert.equal(read('1', '--no-pages'), false)
    assert.equal(read('0', '--pages'), true)
    for (const wrong of ['maybe', '2', 'true ']) assert.throws(() => read(wrong), /PETS_PAGES must be one of 1, true/)
    assert.equal(read('maybe', '--pages'), true, 'a variable that a flag overrides is not looked at')
    assert.equal(read('maybe', '--no-pages'), false)
  })
})

describe('npm start', () => {
  const start = (env: Record<string, string>, ...args: string[]) => {
    const started = startProgram(['sh', '-c', `exec "${process.execPath}" scripts/start.mjs ${args.join(' ')}`], {
      cwd: ROOT,
      env: { PETS_PORT: '0', PETS_CREATE: '1', PETS_DATABASE: `sqlite:${folder}/start.db`, ...env },
    })
    return { ...started, ready: () => started.says(/"msg":"found/) }
  }

  it('enables first key, pages, operator port and office by default', async () => {
    for (const [env, args, port] of [
      [{}, ['--operator-port', '0', '--port', '0'], /"operatorUrl":"http/],
      [{ npm_config_operator_port: 'true' }, ['0'], /"operatorUrl":"http/],
    ] as const) {
      const started = start(env, ...args)
      await started.ready()
      assert.match(started.output(), port)
      assert.match(started.output(), /"pages":"http/)
      assert.match(started.output(), /"office":"http/)
      started.process.kill('SIGTERM')
      assert.equal(await started.ended, 0, started.output())
    }
    for (const name of ['backups', 'site'])
      assert.ok(existsSync(`${folder}/${name}`), `${name} is next to the database`)
    assert.equal(statSync(`${folder}/first-key`).mode & 0o777, 0o600)
    assert.equal(statSync(`${folder}/first-invitation`).mode & 0o777, 0o600)
    const without = start({ PETS_PAGES: 'no', PETS_OFFICE: '0', PETS_OPERATOR_PORT: '0' }, '--no-first-key')
    await without.ready()
    assert.doesNotMatch(without.output(), /"(?:pages|office)":/)
    without.process.kill('SIGTERM')
    assert.equal(await without.ended, 0)
  })

  it('names the command of the clone in what it says', async () => {
    mkdirSync(`${folder}/no-key/first-key/is-a-folder`, { recursive: true })
    const database = `sqlite:${folder}/no-key/pets.db`
    const started = start({ PETS_OPERATOR_PORT: '0', PETS_DATABASE: database })
    assert.equal(await started.ended, 1)
    assert.match(started.output(), /start without --first-key and use `\.\/pets keys create`\.\n$/)
  })

  it('if npm took several flags for its own, says how to write them', async () => {
    const started = start({ npm_config_port: 'true', npm_config_operator_port: 'true' }, '0', String(await freePort()))
    assert.equal(await started.ended, 2)
    assert.match(started.output(), /npm start -- --port 9000/)
  })
})

describe('./pets', skipUnless(process.platform !== 'win32', 'it is a shell script; pets.cmd is for Windows'), () => {
  it('finds its installation from any folder and through links', () => {
    mkdirSync(`${folder}/far/bin`, { recursive: true })
    symlinkSync(`${ROOT}/pets`, `${folder}/far/pets`)
    symlinkSync('../pets', `${folder}/far/bin/pets`)
    for (const pets of [`${ROOT}/pets`, `${folder}/far/pets`, `${folder}/far/bin/pets`]) {
      const { status, stdout } = spawnSync(pets, ['config'], {
        cwd: folder,
        encoding: 'utf8',
      })
      assert.deepEqual([status, stdout.startsWith('# Settings')], [0, true])
    }
    const run = spawnSync('bin/pets', ['no such'], { cwd: `${folder}/far`, encoding: 'utf8' })
    assert.equal(run.status, 2)
  })

  it('names itself as it was started, in hints, mistakes and help', () => {
    const bin = `${folder}/named/bin`
    mkdirSync(bin, { recursive: true })
    symlinkSync(`${ROOT}/pets`, `${bin}/animals`)
    writeFileSync(`${folder}/named/animals.csv`, 'name,categoryId\nRex,1\n')
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PETS_DATABASE: `sqlite:${folder}/named/pets.db` }
    for (const typed of ['bin/animals', `${bin}/animals`, 'animals']) {
      // A shell finds it as if someone typed it.
      const path = typed === 'animals' ? env.PATH : process.env.PATH
      const run = (...args: string[]) =>
        spawnSync('sh', ['-c', '"$@"', 'sh', typed, ...args], {
          cwd: `${folder}/named`,
          env: { ...env, PATH: path },
          encoding: 'utf8',
        })
      const { stderr: mistake } = run('remove', 'x')
      assert(mistake.endsWith(`as \`${typed} find\` shows it.\n`), mistake)
      if (typed !== 'animals') continue
      assert(run('keys', '--help').stdout.startsWith(`Usage: ${typed} keys `))
      const { stderr } = run('import', 'animals.csv', '--create', '--allow-duplicates')
      assert(stderr.endsWith(`\n\`${typed} imports undo 1\` undoes this import.\n`), stderr)
      const removed = run('remove', '1').stdout
      assert(removed.startsWith(`1 animal removed. \`${typed} restore-animal\` restores it`), removed)
    }
  })

  it('works for a user who may only read the installation', otherUserNeeded, () => {
    const home = `${folder}/home`
    mkdirSync(home)
    chownSync(home, NOBODY, NOBODY)
    const [command, ...args] = as(NOBODY)
    const run = spawnSync(command, [...args, `${ROOT}/pets`, 'openapi'], {
      cwd: '/',
      env: { HOME: home, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    })
    assert.equal(run.status, 0, run.stderr)
    assert.equal(run.stderr, '')
  })

  it('says what to run before the installation', () => {
    mkdirSync(`${folder}/clone with a space`)
    copyFileSync(`${ROOT}/pets`, `${folder}/clone with a space/pets`)
    const { status, stderr } = spawnSync(`${folder}/clone with a space/pets`, ['serve'], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^It is not installed yet: run `npm start` in .*clone with a space, or `npm run setup` .*\n$/)
  })
})

describe('the default database', () => {
  it('is that of the program, whatever the current folder is', async () => {
    const [programFolder, cwd] = [temporaryFolder(), temporaryFolder()]
    const { stderr } = await pets(['keys', 'list'], { cwd, programFolder })
    assert.match(stderr, new RegExp(`^There is no database at ${programFolder}/data/pets\\.db;`))
  })

  it('is refused with the names of both if only the current folder has one, and nothing is started or made', async () => {
    const [programFolder, cwd] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(`${cwd}/data`)
    writeFileSync(`${cwd}/data/pets.db`, '')
    for (const args of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
      ['import', '-', '--create'],
    ]) {
      const { code, stderr } = await pets(args, { cwd, programFolder })
      const both = `There is a database at ${cwd}/data/pets.db, but none at ${programFolder}/data/pets.db,`
      assert.deepEqual([code, stderr.startsWith(both)], [1, true], stderr)
    }
    assert.deepEqual(readdirSync(programFolder), [])
  })
})
