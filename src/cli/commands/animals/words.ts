/** `pets words`: the shelter's own words for statuses. Only people see them; the interface and files keep theirs. */
import { Argument, Command } from 'commander'
import { printable } from '../../../common/printable.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import { isStatusWord, sharedWordSentence, WORD_RULE } from '../../../domain/categories.ts'
import { plainWord } from '../../../store/rules/status-words.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { tableOf } from '../../table.ts'

const set = new Command('set')
  .description('Give a status a word of your own.')
  .addHelpText('after', examples('pets words set sold Adopted', "pets words set sold ''"))
  .addArgument(new Argument('<status>', 'as the interface calls it').choices(PetStatus.enum))
  .argument('<word>', 'what people see for it, 1 to 20 printable characters; an empty text removes the word')
  .addOption(databaseOption())
  .action(async (status: PetStatus, word: string, options: { readonly database: string }, command: Command) => {
    if (word !== '' && !isStatusWord(word)) command.error(`error: the word cannot be this text: ${WORD_RULE}.`)
    const shared = await withStore(options, async ({ words }) =>
      words.set(new Map([[status, word === '' ? undefined : word]]), author()),
    )
    if (shared !== undefined) throw new CommandFailed(sharedWordSentence(shared))
    await print(`The status ${status} is called ${word === '' ? plainWord(status) : word}.\n`)
  })

const list = new Command('list')
  .description('Show what people see for each status.')
  .addHelpText('after', examples('pets words'))
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: { readonly database: string; readonly json?: true }) =>
    withStore(options, async ({ words }) => {
      const own = await words.ofStatuses()
      const rows = PetStatus.enum.map((status) => ({ status, word: own[status] ?? plainWord(status) }))
      if (options.json) await print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      else await print(tableOf(['STATUS', 'WORD'])(rows.map(({ status, word }) => [status, printable(word)])))
    }),
  )

export const words = new Command('words')
  .description('Show or set the words that people see for statuses.')
  .addCommand(list, { isDefault: true })
  .addCommand(set)
