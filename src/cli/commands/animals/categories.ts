/** `pets categories`: names for category numbers. Only people see them; the interface has numbers only (O1). */
import { Command } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { sharedNameSentence } from '../../../domain/categories.ts'
import { isLabel, LABEL_RULE } from '../../../domain/keys.ts'
import { sharedNames } from '../../../store/rules/category-names.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { petId } from './animal.ts'

const set = new Command('set')
  .description('Name a category.')
  .addHelpText('after', examples('pets categories set 6 Rabbits'))
  .argument('<n>', 'its number', petId)
  .argument('<label>', 'its name, 1 to 200 printable characters; an empty text removes the name')
  .addOption(databaseOption())
  .action(async (categoryId: bigint, label: string, options: { readonly database: string }, command: Command) => {
    if (label !== '' && !isLabel(label)) command.error(`error: the name cannot be this text: ${LABEL_RULE}.`)
    const shared = await withStore(options, async ({ categories }) =>
      categories.name(new Map([[categoryId, label === '' ? undefined : label]]), author()),
    )
    if (shared !== undefined) throw new CommandFailed(sharedNameSentence(shared))
    await print(label === '' ? `Category ${categoryId} has no name.\n` : `Category ${categoryId} is ${label}.\n`)
  })

const list = new Command('list')
  .description('Show the names of categories.')
  .addHelpText('after', examples('pets categories'))
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: { readonly database: string; readonly json?: true }) =>
    withStore(options, async ({ categories }) => {
      const names = await categories.names()
      const named = [...names]
      if (named.length === 0) hint("No category has a name yet; give one with `pets categories set 6 'Rabbits'`.\n")
      else if (options.json) await print(named.map(([id, name]) => toJsonLine(id, name)).join(''))
      else await print(tableOf(['CATEGORY', 'NAME'])(named.map(([id, label]) => [id.toString(), printable(label)])))
      const shared = sharedNames(names).map(({ id }) => id)
      if (shared.length > 0) hint(`Categories ${shared.join(', ')} share their names with others; rename them.\n`)
    }),
  )

export const categories = new Command('categories')
  .description('Show or set the names of categories.')
  .addCommand(list, { isDefault: true })
  .addCommand(set)

/** The number with all its digits, as in a Pet. */
function toJsonLine(id: bigint, name: string): string {
  return `{"categoryId":${id},"name":${printableJson(name)}}\n`
}
