/** `pets find` and `pets show`: find animals by parts of a name, and show one with its history. */
import { Command, Option } from 'commander'
import { printable } from '../../../common/printable.ts'
import { petJson } from '../../../contract/json.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import type { JournalEntry } from '../../../store/records.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, wholeNumber } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { startProgress } from '../../progress.ts'
import { withStore } from '../../store.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'
import { categoryText, HEADINGS, petId, toCells } from './animal.ts'
import { entryJson } from './journal.ts'

const HISTORY_SHOWN = 100

interface FindOptions {
  readonly database: string
  readonly status?: PetStatus | 'none'
  readonly limit: number
  readonly json?: true
}

export const find = new Command('find')
  .description('Show the animals whose name contains each of some words, ignoring case and accents.')
  .addHelpText('after', examples('pets find rex', 'pets find rex --status available --limit 100 --json'))
  .argument('<text>', 'words in any order, each a part of the name')
  .addOption(new Option('--status <status>', 'only these').choices([...PetStatus.enum, 'none']))
  .option('--limit <n>', 'how many at most, newest first', wholeNumber(1, 10_000), 20)
  .addOption(databaseOption())
  .option('--json', 'one Pet a line')
  .action((text: string, { status, limit, ...options }: FindOptions) =>
    withStore(options, async (store) => {
      const progress = startProgress('indexing', 0)
      const { pets } = await Promise.resolve(store.records.find({ text, status, limit }, progress.advance)).finally(
        progress.stop,
      )
      if (options.json) {
        await print(pets.map((pet) => `${petJson(pet.id, pet.name, pet.categoryId, pet.status)}\n`).join(''))
        return
      }
      const labels = await store.records.categories()
      if (pets.length > 0) await print(tableOf(HEADINGS)(pets.map((pet) => toCells(pet, labels))))
      else hint('No animal was found.\n')
      if (pets.length === limit) hint(`These are the newest ${limit}; --limit shows more.\n`)
    }),
  )

export const show = new Command('show')
  .description('Show one animal and its history.')
  .addHelpText('after', examples('pets show 42'))
  .argument('<id>', 'its id', petId)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: bigint, options: { readonly database: string; readonly json?: true }) =>
    withStore(options, async ({ records }) => {
      const pet = await records.get(id)
      if (pet === undefined)
        throw new CommandFailed(`There is no animal ${id}; \`pets find TEXT\` looks for one by name.`)
      const query = { petId: id, keyId: undefined, sinceMs: undefined, before: undefined, limit: HISTORY_SHOWN }
      const history = await records.journal(query)
      if (options.json) {
        const animal = petJson(pet.id, pet.name, pet.categoryId, pet.status)
        const removed = pet.removedAtMs === undefined ? '' : `"removedAt":"${toIso(pet.removedAtMs)}",`
        await print(`{"pet":${animal},${removed}"history":[${history.map(entryJson).join()}]}\n`)
        return
      }
      const facts = [
        ['id', pet.id],
        ['name', printable(pet.name)],
        ['category', categoryText(pet.categoryId, await records.categories())],
        ['status', pet.status ?? '-'],
        ...(pet.removedAtMs === undefined ? [] : [['removed', toMinute(pet.removedAtMs)]]),
      ]
      const lines = facts.map(([name = '', value]) => `${name.padEnd(10)}${value}\n`)
      await print([...lines, ...(history.length > 0 ? ['\n'] : []), ...history.map(toLine)].join(''))
    }),
  )

function toLine({ atMs, who, act, from, to }: JournalEntry): string {
  const values = from === undefined ? '' : `  ${printable(from)} -> ${printable(to ?? '')}`
  return `${toMinute(atMs)}  ${printable(who)}  ${act}${values}\n`
}
