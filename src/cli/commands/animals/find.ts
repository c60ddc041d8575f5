/** `pets find`: find animals by parts of a name. */
import { printable } from '../../../common/printable.ts'
import { petJson } from '../../../contract/json.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import { searchRefusal } from '../../../rules/search.ts'
import type { Store } from '../../../store/store.ts'
import { command, rowsOf } from '../../command.ts'
import { CommandFailed, Option, parseTime, UsageError, wholeNumber } from '../../options.ts'
import { categoryText } from './animal.ts'

export const find = command({
  about: 'Find animals whose names contain all the given words, ignoring case and accents.',
  examples: [
    'pets find rex',
    'pets find rex --status available --limit 100 --json',
    'pets find --by ID --since 2026-11-01',
  ],
  takes: (command) =>
    command
      .argument('[text]', 'words in any order, each a part of the name')
      .addOption(new Option('--status <status>', 'status of the animals').choices([...PetStatus.enum, 'none']))
      .option('--by <id>', 'instead of a text: animals of this key, person, or import number')
      .option('--since <time>', 'instead of a text: animals that came since this time, ISO 8601', parseTime)
      .option('--limit <n>', 'maximum number of animals, newest first', wholeNumber(1, 10_000), 20),
  json: 'output as JSON, one Pet of the API a line',
  async action({ cli, open, show }, text, { status, limit, by, since, json }) {
    const isByOrigin = by !== undefined || since !== undefined
    if (isByOrigin === (text !== undefined) || (isByOrigin && status !== undefined)) {
      throw new UsageError('Give a text, or --by and --since without a text and without --status.')
    }
    const refusal = searchRefusal(text ?? '')
    if (refusal !== undefined) throw new UsageError(refusal)
    const store = await open()
    const rows = isByOrigin
      ? await store.origins.find({ by, sinceMs: since ?? 0, limit })
      : await store.records.find({ text: text ?? '', status, limit })
    if (by !== undefined && rows.length === 0 && !(await isKnown(store, by))) {
      throw new CommandFailed(
        `No key, person or import is called ${printable(by)}. \`pets keys\`, \`pets people\` and \`pets imports\` list them.`,
      )
    }
    const labels = json ? new Map<bigint, string>() : await store.categories.names()
    const table = rowsOf({
      rows,
      toJson: ({ id, name, categoryId, status }) => petJson(id, name, categoryId, status),
      columns: {
        ID: ({ id }) => id,
        STATUS: ({ status = '-' }) => status,
        CATEGORY: ({ categoryId }) => categoryText(categoryId, labels),
        NAME: ({ name }) => printable(name),
      },
      none: 'No animals were found.\n',
    })
    await show(table)
    if (!json && rows.length === limit) cli.hint(`These are the newest ${limit}; --limit shows more.\n`)
  },
})

/** Whether it is a key, a person, or the number of an import; a user of the command line (`cli NAME`) may be anyone. */
async function isKnown({ keys, people, imports }: Store, by: string): Promise<boolean> {
  if (by.startsWith('cli ') || (await keys.get(by)) !== undefined) return true
  if ((await people.list()).some(({ name }) => name === by)) return true
  return (await imports.list(1)).some(({ n }) => /^\d{1,18}$/.test(by) && BigInt(by) >= 1n && BigInt(by) <= n)
}
