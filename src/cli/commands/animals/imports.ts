/** `pets imports`: lists the imports, and undoes one. */
import { InvalidArgumentError } from 'commander'
import { counted } from '../../../common/counted.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import { undoneText } from '../../../domain/file-outcome.ts'
import { NO_IMPORT_TO_UNDO } from '../../../rules/changes.ts'
import { command, group, rowsOf } from '../../command.ts'
import { CommandFailed, wholeNumber } from '../../options.ts'
import { toIso } from '../../table.ts'
import { mappings } from './mappings.ts'

/** In one transaction, which others wait for. */
const RESTORED_TOGETHER = 1_000

export const imports = group('List imports and syncs, undo one, restore its animals, or show how lists are read.', {
  list: command({
    about: 'List the imports and syncs, newest first.',
    examples: ['pets imports', 'pets imports --limit 5 --json'],
    takes: (command) => command.option('--limit <n>', 'maximum number of imports', wholeNumber(1, 100_000), 100),
    json: 'output as JSON, one object a line',
    action: async ({ open }, { limit }) =>
      rowsOf({
        rows: await (await open()).imports.list(limit),
        toJson: ({ n, atMs, who, source, animals, undoneAtMs }) => {
          return { n: n.toString(), at: toIso(atMs), undoneAt: toIso(undoneAtMs), who, source, animals }
        },
        columns: { NUMBER: 'n', WHEN: 'at', WHO: 'who', FROM: 'source', ANIMALS: 'animals', UNDONE: 'undoneAt' },
        none: 'Nothing has been imported yet.\n',
      }),
  }),

  undo: command({
    about: 'Undo an import or a sync, except for animals that were changed since.',
    examples: ['pets imports undo 3'],
    takes: (command) => command.argument('<number>', 'number of the import, as `pets imports` shows it', importNumber),
    async action({ cli, open }, n) {
      const { imports } = await open()
      const undone = await imports.undo(n, cli.author())
      if (undone !== undefined) return `Import ${n} was undone: ${undoneText(undone)}.\n`
      throw new CommandFailed(`${NO_IMPORT_TO_UNDO}. \`pets imports\` lists all imports.`)
    },
  }),

  restore: command({
    about: 'Restore the animals that the undo of an import removed.',
    examples: ['pets imports restore 3'],
    takes: (command) => command.argument('<number>', 'number of the import, as `pets imports` shows it', importNumber),
    async action({ cli, open }, n) {
      const { origins, records } = await open()
      let restored = 0
      const next = () => origins.undone(n, RESTORED_TOGETHER)
      for (let ids = await next(); ids.length > 0; ids = await next()) {
        restored += (await records.restore(ids, cli.author())).changed
      }
      if (restored === 0) throw new CommandFailed(`No animal that the undo of import ${n} removed can be restored.`)
      return `${counted(restored, 'animal')} restored.\n`
    },
  }),

  mappings,
})

function importNumber(text: string): bigint {
  const n = parseInt64(text)
  if (n === undefined || n < 1n) throw new InvalidArgumentError('It must be the number of an import.')
  return n
}
