/** `pets categories`: names for category numbers. Only people see them; the interface has numbers only (O1). */
import { Command } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { sharedNameSentence } from '../../../domain/categories.ts'
import { isLabel, LABEL_RULE } from '../../../domain/keys.ts'
import { sharedNames } from '../../../rules/names.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand, printRows, storeCommand } from '../../command.ts'
import { CommandFailed } from '../../options.ts'
import { petId } from './animal.ts'

export function categories(cli: Cli): Command {
  return new Command('categories')
    .description('Show or set the names of categories.')
    .addCommand(list(cli), { isDefault: true })
    .addCommand(set(cli))
}

function set(cli: Cli): Command {
  return databaseCommand(cli, 'set', {
    about: 'Name a category.',
    examples: ['pets categories set 6 Rabbits'],
    takes: (command) =>
      command
        .argument('<n>', 'its number', petId)
        .argument('<label>', 'its name, 1 to 200 printable characters; an empty text removes the name'),
    action: async ({ command, withStore }, categoryId, label) => {
      if (label !== '' && !isLabel(label)) command.error(`error: the name cannot be this text: ${LABEL_RULE}.`)
      const shared = await withStore(async ({ categories }) =>
        categories.name(new Map([[categoryId, label === '' ? undefined : label]]), cli.author()),
      )
      if (shared !== undefined) throw new CommandFailed(sharedNameSentence(shared))
      await cli.print(label === '' ? `Category ${categoryId} has no name.\n` : `Category ${categoryId} is ${label}.\n`)
    },
  })
}

function list(cli: Cli): Command {
  return storeCommand(cli, 'list', {
    about: 'Show the names of categories.',
    examples: ['pets categories'],
    json: 'one JSON object a line',
    action: async ({ store }, { json }) => {
      const names = await store.categories.names()
      await printRows(cli, {
        rows: [...names],
        json,
        // The number with all its digits, as in a Pet.
        toJson: ([id, name]) => `{"categoryId":${id},"name":${printableJson(name)}}`,
        columns: { CATEGORY: ([id]) => id.toString(), NAME: ([, name]) => printable(name) },
        none: "No category has a name yet; give one with `pets categories set 6 'Rabbits'`.\n",
      })
      const shared = sharedNames(names).map(({ id }) => id)
      if (shared.length > 0) cli.hint(`Categories ${shared.join(', ')} share their names with others; rename them.\n`)
    },
  })
}
