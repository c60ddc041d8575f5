/** The settings file that the service and all commands share, and `pets config`. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { linesOf, pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

describe('the settings file', () => {
  const place = () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'data'))
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const run = (args: string[], env: Record<string, string> = {}) =>
      pets(args, { cwd: folder, env, machineSettings: join(folder, 'machine.conf') })
    return { folder, write, run }
  }

  it('is read by commands too: from --config, next to the database, or of the machine', async () => {
    const { folder, write, run } = place()
    const database = async (...args: string[]) => {
      const { stderr } = await run([...args, 'keys', 'list'])
      return /^There is no database at \S*\/(\w+)\.db;/.exec(stderr)?.[1] ?? stderr
    }
    assert.equal(await database(), 'pets')
    write('machine.conf', `database = sqlite:${folder}/machine.db\n`)
    assert.equal(await database(), 'machine')
    write('data/pets.conf', `database = sqlite:${folder}/beside.db\n`)
    assert.equal(await database(), 'beside')
    const named = write('named.conf', `# a comment\ndatabase = sqlite:${folder}/named.db\n`)
    assert.equal(await database('--config', named), 'named')
    const { stderr } = await run(['keys', 'list'], {
      PETS_CONFIG: named,
      PETS_DATABASE: `sqlite:${folder}/variable.db`,
    })
    assert.match(stderr, /variable\.db/)
  })

  it('is shown by `pets config --check` with each value as written, its source, and no password', async () => {
    const { write, run } = place()
    const values = {
      'operator-port': '8081',
      'backup-dir': '/b',
      'backup-every': '1h/48',
      ban: '20/60s/10m',
      pages: 'no',
    }
    const lines = Object.entries({ port: '9000', ...values }).map(([name, value]) => `${name} = ${value}\n`)
    const file = write('data/pets.conf', `database = postgres://me:secret@db.example/pets\n${lines.join('')}`)
    const { code, stdout, stderr } = await run(['config', '--check', '--json'], { PETS_PORT: '9001' })
    assert.deepEqual([code, stderr.split('\n')[0]], [1, `The settings file is ${file}`], 'no such database')
    const shown = linesOf<{ setting: string; value: string; from: string }>(stdout)
    assert.deepEqual(
      Object.fromEntries(shown.map(({ setting, value, from }) => [setting, from === file ? value : [value, from]])),
      { ...values, port: ['9001', 'PETS_PORT'], database: 'postgres://db.example/pets' },
    )
  })

  it('has an example, each line of which is understood when its # is taken away', async () => {
    const { folder, write, run } = place()
    const { stdout } = await run(['config'])
    const lines = stdout.match(/^#[a-z-]+ = .*$/gm) ?? []
    assert.ok(lines.length >= 20)
    const plain = lines.filter((line) => !/= [A-Z]+$/.test(line)).map((line) => line.slice(1))
    write(
      'data/pets.conf',
      `backup-dir = ${folder}/backups\n${plain.join('\n').replace('create = no', 'create = yes')}\n`,
    )
    const { code, stderr } = await run(['config', '--check'])
    assert.equal(code, 0, stderr)
  })

  it('is checked while the service runs', async () => {
    const { folder, write, run } = place()
    const database = `sqlite:${folder}/data/pets.db`
    await using service = await startService({ database, args: ['--backup-dir', `${folder}/backups`] })
    const [port, operatorPort] = [service.baseUrl, service.operatorUrl].map((url) => new URL(url).port)
    const lines = [`database = ${database}`, `port = ${port}`, `operator-port = ${operatorPort}`]
    write('data/pets.conf', `${lines.join('\n')}\nbackup-dir = ${folder}/backups\n`)
    const { code, stderr } = await run(['config', '--check'])
    assert.equal(code, 0, stderr)
  })
})
