/** `--help`: commands in groups, and examples that can be typed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'

const helpOf = async (...command: string[]) => (await pets([...command, '--help'])).stdout
/** The commands of a help text, without `help` itself. */
const commandsIn = (help: string) =>
  [...help.matchAll(/^ {2}([a-z][\w-]*)(?: |$)/gm)].flatMap(([, name = '']) => (name === 'help' ? [] : [name]))

describe('the help', () => {
  it('lists the commands by what they are about', async () => {
    const help = await helpOf()
    const headings = ['The service', 'Keys and people', 'Animals', 'The database', 'The shell']
    assert.deepEqual(
      [...help.matchAll(/^(The .*|Keys .*|Animals):$/gm)].map(([, heading]) => heading),
      headings,
    )
    assert.doesNotMatch(help, /^Commands:/m)
  })

  it('of each command ends with examples, which the command understands', async () => {
    const names = commandsIn((await helpOf()).replace(/^Options:[\s\S]*?\n\n/m, ''))
    assert.ok(names.length > 20)
    for (const name of names) {
      const help = await helpOf(name)
      const within = /\nCommands:\n([\s\S]*)/.exec(help)?.[1]
      const hasOwn = within === undefined || /\nExamples:\n/.test(help)
      const commands = hasOwn ? [[name]] : commandsIn(within).map((one) => [name, one])
      for (const command of commands) {
        const examples = /\nExamples?:\n([\s\S]*)/.exec(await helpOf(...command))?.[1]
        assert.ok(examples, `${command.join(' ')} has no example`)
        for (const line of examples.trim().split('\n')) {
          const [, typed = ''] = /(?:^|\| )\s*pets (.*?)(?: [<>] .*)?$/.exec(line.trim()) ?? []
          // The option that does not exist stands last, so that it is named only if all before it was understood; what
          // follows a `--` is another program's.
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
