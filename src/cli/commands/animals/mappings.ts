/** `pets imports mappings`: how lists are read, as somebody has confirmed it; shows and forgets one. */
import { InvalidArgumentError } from 'commander'
import { headingsOf, readMapping } from '../../../animals-file/mapping.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import type { Store } from '../../../store/store.ts'
import { command, group, rowsOf } from '../../command.ts'
import { CommandFailed } from '../../options.ts'
import { toIso } from '../../table.ts'

export const mappings = group('Show how lists are read, as confirmed, or forget one of these mappings.', {
  list: command({
    about: 'Show the confirmed mappings, newest first.',
    examples: ['pets imports mappings', 'pets imports mappings --json'],
    json: 'output as JSON, one object a line',
    action: async ({ open }) =>
      rowsOf({
        rows: await (await open()).layouts.list(),
        toJson: ({ n, who, atMs, mapping }) => {
          const columns = [...headingsOf(readMapping(mapping)).keys()]
          return { n: n.toString(), confirmedAt: toIso(atMs), who, columns, mapping }
        },
        columns: { NUMBER: 'n', CONFIRMED: 'confirmedAt', WHO: 'who', COLUMNS: 'columns' },
        none: 'No mapping has been confirmed yet.\n',
      }),
  }),

  show: command({
    about: 'Show a mapping as text, as --map @FILE takes it.',
    examples: ['pets imports mappings show 2 > weekly.map'],
    takes: (command) => command.argument('<number>', 'its number, as `pets imports mappings` shows it', mappingNumber),
    action: async ({ open }, n) => `${(await found(await open(), n)).mapping}\n`,
  }),

  forget: command({
    about: 'Forget a mapping. The next list of its layout is asked about again.',
    examples: ['pets imports mappings forget 2'],
    takes: (command) => command.argument('<number>', 'its number, as `pets imports mappings` shows it', mappingNumber),
    async action({ open }, n) {
      const store = await open()
      await found(store, n)
      await store.layouts.forget(n)
      return `Mapping ${n} forgotten.\n`
    },
  }),
})

/** Throws CommandFailed. */
async function found({ layouts }: Store, n: bigint) {
  const layout = (await layouts.list()).find((one) => one.n === n)
  if (layout === undefined)
    throw new CommandFailed(`Mapping ${n} does not exist. \`pets imports mappings\` lists them.`)
  return layout
}

function mappingNumber(text: string): bigint {
  const n = parseInt64(text)
  if (n === undefined || n < 1n) throw new InvalidArgumentError('It must be the number of a mapping.')
  return n
}
