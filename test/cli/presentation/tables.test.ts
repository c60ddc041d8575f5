/** What commands print for people in a terminal, and with `--json` for programs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tableOf } from '../../../src/cli/table.ts'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('a table', () => {
  const rows = [
    ['1', 'Rex'],
    ['22', 'a name that is too long for this terminal'],
  ]

  it('is as wide as its cells where nothing says how wide a line may be', () => {
    assert.equal(
      tableOf(['ID', 'NAME'], undefined)(rows),
      'ID  NAME\n1   Rex\n22  a name that is too long for this terminal\n',
    )
  })

  it('fits the terminal: the widest column is cut, with a sign that it is', () => {
    assert.equal(tableOf(['ID', 'NAME'], 16)(rows), 'ID  NAME\n1   Rex\n22  a name that…\n')
  })

  it('counts columns as a terminal does, and cuts no character in two', () => {
    const wide = [
      ['猫'.repeat(12), 'x'],
      ['👩‍👩‍👧‍👦'.repeat(12), 'y'],
      ['e\u0301'.repeat(30), 'z'],
    ]
    const lines = tableOf(['NAME', 'OF'], 15)(wide).trimEnd().split('\n')
    assert.deepEqual(lines.slice(1), [
      `${'猫'.repeat(5)}…  x`,
      `${'👩‍👩‍👧‍👦'.repeat(5)}…  y`,
      `${'e\u0301'.repeat(10)}…  z`,
    ])
  })

  it('keeps some of each column, however narrow the terminal is', () => {
    assert.match(tableOf(['ID', 'NAME'], 1)(rows), /^22 {2}a name …$/m)
  })
})

describe('--json', () => {
  it('has one object a line, times as ISO 8601 in fields that end in At, and exact ids', async () => {
    const env = { PETS_DATABASE: `sqlite:${temporaryFolder()}/pets.db` }
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await pets(args, {
        env,
        input: '{"id":4611686018427387903,"name":"Rex","categoryId":-9223372036854775808}\n',
      })
      assert.equal(code, 0, stderr)
      return stdout
    }
    await run('import', '-', '--with-ids')
    await run('categories', 'set', '--', '-9223372036854775808', 'Dogs')
    await run('keys', 'create', '--create', '--plan', 'free', '--expires', '2999-01-01')
    await run('people', 'invite', '--create', 'NAME', '--role', 'staff')
    const time = '"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"'
    for (const [args, expected] of [
      [['imports'], `\\{"n":"1","at":${time},"who":"cli .*","source":".*","animals":1\\}`],
      [['categories'], '\\{"categoryId":-9223372036854775808,"name":"Dogs"\\}'],
      [['keys', 'list'], `\\{"id":"key_.*","createdAt":${time},"expiresAt":"2999-01-01T00:00:00.000Z"\\}`],
      [['people', 'list'], `\\{"name":"NAME","role":"staff","state":"invited","createdAt":${time}\\}`],
      [['find', 'rex'], '\\{"id":4611686018427387903,"name":"Rex","categoryId":-9223372036854775808.*\\}'],
      [['show', '4611686018427387903'], '\\{"pet":\\{"id":4611686018427387903,.*\\},"history":\\[.*\\]\\}'],
    ] as const) {
      assert.match(await run(...args, '--json'), new RegExp(`^${expected}\n$`), args.join(' '))
    }
  })
})

describe('--quiet', () => {
  it('leaves out hints, and no result and no mistake', async () => {
    const env = { PETS_DATABASE: `sqlite:${temporaryFolder()}/pets.db` }
    const created = await pets(['keys', 'create', '--create', '--plan', 'free', '--quiet'], { env })
    assert.match(created.stdout, /^\S+\n$/)
    assert.equal(created.stderr, '')
    const loud = await pets(['find', 'nobody'], { env })
    assert.match(loud.stderr, /No animal was found/)
    const quiet = await pets(['find', 'nobody', '--quiet'], { env })
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, '', ''])
    const wrong = await pets(['--quiet', 'show', '1'], { env })
    assert.deepEqual([wrong.code, /There is no animal 1/.test(wrong.stderr)], [1, true])
  })
})
