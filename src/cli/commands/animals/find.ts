/** `pets find` and `pets show`: find animals by parts of a name, and show one with its history. */
import { Command, Option } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { petJson } from '../../../contract/json.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import type { Origin } from '../../../store/origins.ts'
import type { FindQuery, JournalEntry, PetRecord, PetRecords } from '../../../store/records.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, instant, UsageMistake, wholeNumber } from '../../options.ts'
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
  readonly by?: string
  readonly since?: number
  readonly json?: true
}

export const find = new Command('find')
  .description('Show the animals whose name contains each of some words, ignoring case and accents.')
  .addHelpText(
    'after',
    examples(
      'pets find rex',
      'pets find rex --status available --limit 100 --json',
      'pets find --by ID --since 2026-11-01',
    ),
  )
  .argument('[text]', 'words in any order, each a part of the name')
  .addOption(new Option('--status <status>', 'only these').choices([...PetStatus.enum, 'none']))
  .option('--by <id>', 'in place of a text: what this key, this person or the import of this number brought')
  .option('--since <time>', 'in place of a text: what came since this time, ISO 8601', instant)
  .option('--limit <n>', 'how many at most, newest first', wholeNumber(1, 10_000), 20)
  .addOption(databaseOption())
  .option('--json', 'one Pet a line')
  .action((text: string | undefined, { status, limit, by, since, ...options }: FindOptions) =>
    withStore(options, async (store) => {
      const isByOrigin = by !== undefined || since !== undefined
      if (isByOrigin === (text !== undefined) || (isByOrigin && status !== undefined)) {
        throw new UsageMistake('Name a text, or --by and --since, which go without a text and without --status.')
      }
      const pets = isByOrigin
        ? await store.origins.find({ by, sinceMs: since ?? 0, limit })
        : await findByText(store.records, { text: text ?? '', status, limit })
      if (options.json) {
        await print(pets.map((pet) => `${petJson(pet.id, pet.name, pet.categoryId, pet.status)}\n`).join(''))
        return
      }
      const labels = await store.categories.names()
      if (pets.length > 0) await print(tableOf(HEADINGS)(pets.map((pet) => toCells(pet, labels))))
      else hint('No animal was found.\n')
      if (pets.length === limit) hint(`These are the newest ${limit}; --limit shows more.\n`)
    }),
  )

async function findByText(records: PetRecords, query: FindQuery): Promise<readonly PetRecord[]> {
  const progress = startProgress('indexing', 0)
  const { pets } = await Promise.resolve(records.find(query, progress.advance)).finally(progress.stop)
  return pets
}

export const show = new Command('show')
  .description('Show one animal and its history.')
  .addHelpText('after', examples('pets show 42'))
  .argument('<id>', 'its id', petId)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: bigint, options: { readonly database: string; readonly json?: true }) =>
    withStore(options, async ({ records, origins, categories }) => {
      const pet = await records.get(id)
      if (pet === undefined)
        throw new CommandFailed(`There is no animal ${id}; \`pets find TEXT\` looks for one by name.`)
      const query = { petId: id, keyId: undefined, sinceMs: undefined, before: undefined, limit: HISTORY_SHOWN }
      const history = await records.journal(query)
      const [{ origin, reference } = { origin: undefined, reference: undefined }] = await origins.known([id])
      if (options.json) {
        const animal = petJson(pet.id, pet.name, pet.categoryId, pet.status)
        const removed = pet.removedAtMs === undefined ? '' : `"removedAt":"${toIso(pet.removedAtMs)}",`
        await print(
          `{"pet":${animal},${removed}"reference":${printableJson(reference ?? null)},"origin":${originJson(origin)},"history":[${history.map(entryJson).join()}]}\n`,
        )
        return
      }
      const facts = [
        ['id', pet.id],
        ['name', printable(pet.name)],
        ['category', categoryText(pet.categoryId, await categories.names())],
        ['status', pet.status ?? '-'],
        ['came', originText(origin)],
        ...(reference === undefined ? [] : [['reference', printable(reference)]]),
        ...(pet.removedAtMs === undefined ? [] : [['removed', toMinute(pet.removedAtMs)]]),
      ]
      const lines = facts.map(([name = '', value]) => `${name.padEnd(11)}${value}\n`)
      await print([...lines, ...(history.length > 0 ? ['\n'] : []), ...history.map(toLine)].join(''))
    }),
  )

/** Keys were not noted before version 1.2. */
function originText(origin: Origin | undefined): string {
  if (origin === undefined) return 'before 1.2'
  const { kind, who, atMs, importN } = origin
  const by = kind === 'import' ? `import ${importN} (${who})` : kind === 'key' ? `key ${who}` : who
  return `${toMinute(atMs)} by ${printable(by)}`
}

function originJson(origin: Origin | undefined): string {
  if (origin === undefined) return 'null'
  const { kind, who, atMs, importN } = origin
  return printableJson({ kind, who, at: toIso(atMs), ...(importN !== undefined && { import: importN.toString() }) })
}

function toLine({ atMs, who, act, from, to }: JournalEntry): string {
  const values = from === undefined ? '' : `  ${printable(from)} -> ${printable(to ?? '')}`
  return `${toMinute(atMs)}  ${printable(who)}  ${act}${values}\n`
}
