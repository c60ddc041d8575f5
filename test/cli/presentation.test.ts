/** What commands show people: help, tables, questions and progress. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tableOf } from '../../src/cli/table.ts'
import { commandsOn, pets } from '../support/commands/commands.ts'
import { alter, temporaryFolder } from '../support/folder.ts'
import { inTerminal, terminalNeeded } from './terminal.ts'

const CTRL_C = '\u0003'

const helpOf = async (...command: string[]) => (await pets([...command, '--help'])).stdout
const commandsIn = (help: string) =>
  [...help.matchAll(/^ {2}([a-z][\w-]*)(?: |$)/gm)].flatMap(([, name = '']) => (name === 'help' ? [] : [name]))

/** The command itself, or the commands of the group. */
async function commandsWithin(path: readonly string[]): Promise<readonly (readonly string[])[]> {
  const help = await helpOf(...path)
  const within = /\nCommands:\n([\s\S]*)/.exec(help)?.[1]
  if (within === undefined || /\nExamples:\n/.test(help)) return [path]
  return (await Promise.all(commandsIn(within).map((one) => commandsWithin([...path, one])))).flat()
}

describe('the help', () => {
  it('lists the commands by subject', async () => {
    const help = await helpOf()
    const headings = ['The service', 'Keys and people', 'Animals', 'The database', 'The API']
    assert.deepEqual(
      [...help.matchAll(/^(The .*|Keys .*|Animals):$/gm)].map(([, heading]) => heading),
      headings,
    )
    assert.doesNotMatch(help, /^Commands:/m)
  })

  it('ends with examples that the command accepts', async () => {
    const names = commandsIn((await helpOf()).replace(/^Options:[\s\S]*?\n\n/m, ''))
    assert.ok(names.length > 20)
    for (const name of names) {
      for (const command of await commandsWithin([name])) {
        const examples = /\nExamples?:\n([\s\S]*)/.exec(await helpOf(...command))?.[1]
        assert.ok(examples, `${command.join(' ')} has no example`)
        for (const line of examples.trim().split('\n')) {
          const [, typed = ''] = /(?:^|\| )\s*pets (.*?)(?: [<>] .*)?$/.exec(line.trim()) ?? []
          // The unknown option is last, so it is reported only if everything before it is recognised.
          const [own = ''] = typed.split(' -- ')
          const { stderr } = await pets([...words(own), '--no-such-option'])
          assert.match(stderr, /unknown option '--no-such-option'/, line)
        }
      }
    }
  })
})

function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

describe('a table', () => {
  const rows = [
    ['1', 'Rex'],
    ['22', 'a name that is too long for this terminal'],
  ]

  it('is as wide as its cells, or its widest columns are cut to fit the terminal', () => {
    for (const [width, last] of [
      [undefined, 'a name that is too long for this terminal'],
      [16, 'a name that…'],
      [1, 'a name …'],
    ] as const) {
      assert.equal(tableOf(['ID', 'NAME'], width)(rows), `ID  NAME\n1   Rex\n22  ${last}\n`)
    }
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
})

const END_OF_INPUT = '\u0004'

describe('the question before a key is revoked', terminalNeeded, () => {
  it('shows whose key it is, and revokes it only after a yes', async () => {
    const database = ['--database', `sqlite:${temporaryFolder()}/pets.db`]
    const { id } = await commandsOn(database[1] ?? '').key('free', '--label', 'Shelter')
    const answer = async (keys: string) => {
      const { shown, says, type, ended } = inTerminal('keys', 'revoke', id, ...database)
      await says(/Revoke it\? \(yes\/no\)/)
      assert.ok(shown().includes(`Key ${id} (Shelter): never used, not replaced.`), shown())
      type(keys)
      return { code: await ended, said: shown().slice(shown().indexOf('(yes/no)')) }
    }
    for (const no of ['yess\r', END_OF_INPUT]) {
      const { code, said } = await answer(no)
      assert.equal(code, 1)
      assert.match(said, /Nothing was revoked\./)
    }
    assert.equal((await answer(CTRL_C)).code, 128 + 2)
    const { stdout } = await pets(['keys', 'show', id, ...database])
    assert.match(stdout, /active/)
    const { code, said } = await answer('Yes\r')
    assert.deepEqual([code, said.includes(`Key ${id} was revoked.`)], [0, true])
  })
})

describe('text from outside', terminalNeeded, () => {
  const [raw, escaped] = ['Lu\u009b31m\u202ena', /Lu\\u(?:\{9b|009b)/]
  const reachesPrintable = (shown: string, what: RegExp = escaped) => {
    assert.match(shown, what)
    assert.doesNotMatch(shown, /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/)
  }

  it('reaches a terminal without control characters: names, labels, arguments, mistakes', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const own = ['--database', database]
    await pets(['import', '-', '--create', ...own], { input: `name,categoryId,status\n${raw},1,\n` })
    await pets(['keys', 'create', '--plan', 'free', '--label', 'x', ...own])
    for (const args of [['find', 'lu'], [raw], ['remove', raw], ['find', raw], ['find', `--${raw}`]]) {
      const { shown, ended } = inTerminal(...args, ...own)
      await ended
      reachesPrintable(shown())
    }
  })

  it('stands escaped in a table, and to a parser as it is: labels of earlier versions', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const { done, told, key } = commandsOn(database)
    await key('free')
    alter(database, `UPDATE keys SET label = '${raw}\nkey_b'`)
    assert.match(await done('keys', 'list'), /Lu\\u\{9b\}31m\\u\{202e\}na\\u\{a\}key_b\n$/)
    assert.doesNotMatch(await done('keys', 'list', '--json'), /[\u009b\u202e]/)
    assert.equal((await told('keys', 'list'))[0]?.label, `${raw}\nkey_b`)
  })

  it('reaches it so from the log too', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const options = '--create --port 0 --log-level debug --database'.split(' ')
    const { shown, says, ended, type } = inTerminal('serve', ...options, database)
    const [, baseUrl] = await says(/serving (http:\S+:\d+\/v1)/)
    await fetch(`${baseUrl}/%c2%9b%e2%80%ae%1b`)
    await says(/\/v1\/(?:\\{1,2}u\{9b\}|\u009b)/)
    type(CTRL_C)
    await ended
    reachesPrintable(shown(), /u\{9b\}\\+u\{202e\}/)
  })
})

/** The terminal wraps long lines, which a bar turns off. */
const WRAPPED = '\u001b[?7h'
/** The line is empty. */
const ERASED = '\u001b[2K'

describe('a progress bar', terminalNeeded, () => {
  it('is gone when Ctrl-C ends the command, and the terminal is as it was', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const { shown, says, type, ended } = inTerminal('import', '-', '--create', '--database', database)
    await says(/importing/)
    type(CTRL_C)
    assert.equal(await ended, 128 + 2)
    const after = shown().slice(shown().lastIndexOf('importing'))
    for (const sequence of [WRAPPED, ERASED]) assert.ok(after.includes(sequence), JSON.stringify(after))
  })
})
