/** The settings file that the service and all commands share, and `pets config`, which shows what holds. */
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

  it('is shown by `pets config --check`, with what each setting is and where it is from, and no password', async () => {
    const { write, run } = place()
    const file = write('data/pets.conf', 'port = 9000\ndatabase = postgres://me:secret@db.example/pets\n')
    const { code, stdout, stderr } = await run(['config', '--check', '--json'], { PETS_PORT: '9001' })
    assert.equal(code, 1, 'nobody has that name')
    assert.ok(stderr.startsWith(`The settings file is ${file}\nThe database cannot be used: it cannot be reached`))
    assert.deepEqual(linesOf(stdout), [
      { setting: 'port', value: '9001', from: 'PETS_PORT' },
      { setting: 'database', value: 'postgres://db.example/pets', from: file },
    ])
    write('data/pets.conf', 'backup-every = 5m\n')
    const { code: refused, stderr: why } = await run(['config', '--check'])
    assert.deepEqual([refused, why], [2, '--backup-every needs --backup-dir.\n'])
  })

  it('is shown with each value as it must be written', async () => {
    const { write, run } = place()
    const settings = [
      'operator-port = 8081',
      'office = https://office.example',
      'backup-dir = /b',
      'backup-every = 1h/48',
      'ban = 20/60s/10m',
    ]
    write('data/pets.conf', `${settings.join('\n')}\npages = no\n`)
    const { stdout } = await run(['config', '--check', '--json'])
    const shown = linesOf<{ setting: string; value: string }>(stdout)
    assert.deepEqual(
      shown.map(({ setting, value }) => `${setting} = ${value}`).toSorted(),
      [...settings, 'pages = no'].toSorted(),
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

  it('is checked as `pets serve` would, also while the service runs', async () => {
    const { folder, write, run } = place()
    const database = `sqlite:${folder}/data/pets.db`
    await using service = await startService({ database, args: ['--backup-dir', `${folder}/backups`] })
    const [port, operatorPort] = [service.baseUrl, service.operatorUrl].map((url) => new URL(url).port)
    const lines = [`database = ${database}`, `port = ${port}`, `operator-port = ${operatorPort}`]
    write('data/pets.conf', `${lines.join('\n')}\nbackup-dir = ${folder}/backups\n`)
    const { code, stderr } = await run(['config', '--check'])
    assert.equal(code, 0, stderr)
    for (const [line, sentence] of [
      [`backup-dir = ${folder}/data/pets.conf`, /^Backups cannot be written to \S+pets\.conf given as --backup-dir: /m],
      ['publish = /proc/x', /^The public page cannot be written to \/proc\/x given as --publish: /m],
      [
        'database = sqlite:/proc/x/pets.db\ncreate = yes',
        /^The database cannot be made in \/proc\/x given as --database: /m,
      ],
    ] as const) {
      write('data/pets.conf', line.startsWith('database') ? `${line}\n` : `database = ${database}\n${line}\n`)
      const wrong = await run(['config', '--check'])
      assert.equal(wrong.code, 1, wrong.stderr)
      assert.match(wrong.stderr, sentence)
    }
  })
})
