/** `pets categories`: names for category numbers. */
import { printable, printableJson } from '../../../common/printable.ts'
import { LABEL_FORM, labelOf, sharedNameSentence, UNNAMABLE } from '../../../rules/labels.ts'
import { sharedNames } from '../../../rules/names.ts'
import { command, group, rowsOf } from '../../command.ts'
import { CommandFailed, UsageError } from '../../options.ts'
import { petId } from './animal.ts'

export const categories = group('Show or set the names of categories.', {
  list: command({
    about: 'Show the names of categories.',
    examples: ['pets categories'],
    json: 'output as JSON, one object a line',
    async action({ cli, open, show }) {
      const names = await (await open()).categories.names()
      const rows = rowsOf({
        rows: [...names],
        // The number with all its digits, as in a Pet.
        toJson: ([id, name]) => `{"categoryId":${id},"name":${printableJson(name)}}`,
        columns: { CATEGORY: ([id]) => id.toString(), NAME: ([, name]) => printable(name) },
        none: "No category has a name yet; give one with `pets categories set 6 'Rabbits'`.\n",
      })
      await show(rows)
      const shared = sharedNames(names).map(({ id }) => id)
      if (shared.length > 0) cli.hint(`Categories ${shared.join(', ')} share their names with others; rename them.\n`)
    },
  }),

  set: command({
    about: 'Name a category.',
    examples: ['pets categories set 6 Rabbits'],
    takes: (command) =>
      command
        .argument('<n>', 'number of the category', petId)
        .argument('<label>', `name of the category, ${LABEL_FORM}; an empty text removes it`),
    async action({ cli, open }, categoryId, text) {
      const label = labelOf(text)
      if (text !== '' && label === undefined) throw new UsageError(`This ${UNNAMABLE}.`)
      const { categories } = await open()
      const shared = await categories.name(new Map([[categoryId, label]]), cli.author())
      if (shared !== undefined) throw new CommandFailed(sharedNameSentence(shared))
      return `Category ${categoryId} ${label === undefined ? 'has no name' : `is ${label}`}.\n`
    },
  }),
})
