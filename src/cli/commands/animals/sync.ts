/** `pets sync`: makes the animals agree with the list that a shelter keeps in another system. */
import { counted } from '../../../common/counted.ts'
import { printable } from '../../../common/printable.ts'
import { changesText, syncRefusal } from '../../../domain/file-outcome.ts'
import { consentTo, MAX_CHANGED_SHARE, MISSING, type SyncChange } from '../../../rules/sync.ts'
import type { SyncOptions, SyncOutcome } from '../../../store/sync.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { bodyLimitOption, CommandFailed, InvalidArgumentError, Option } from '../../options.ts'
import { CATEGORY, MAP, readAnimals, WRITE_MAP } from './file.ts'

/** What is done with an animal, as a line of what would be. */
const VERBS = {
  added: 'add',
  adopted: 'adopt',
  changed: 'change',
  restored: 'restore',
  marked: 'change',
  removed: 'remove',
} as const

const MOST = 'stop if more than this share of the animals of the list before would change or go'

export const sync = command({
  about: 'Make the animals agree with a list of another system. Does all of it or nothing.',
  examples: [
    "pets sync list.csv --ref 'Animal ID' --dry-run",
    "pets sync list.csv --ref 'Animal ID' --adopt --missing sold",
    'pets sync list.csv --write-map weekly.map',
    'pets sync list.csv --map @weekly.map',
    "curl -s https://shelter.example/list.csv | pets sync - --ref 'Animal ID' --missing remove",
  ],
  takes: (command) =>
    command
      .argument('<file>', 'a file, or - for standard input')
      .option('--ref <column>', "the column with the other system's id of each animal", heading)
      .addOption(MAP)
      .addOption(CATEGORY)
      .addOption(WRITE_MAP)
      .addOption(
        new Option('--missing <what>', 'what becomes of animals that are not in the list any more')
          .choices(MISSING)
          .default('keep'),
      )
      .option('--adopt', 'take animals that are here already for those of the list, by name and category')
      .option('--no-adopt', 'add all animals of the list that are new in it')
      .option('--new-categories', 'give names of categories that are not there a number each')
      .addOption(
        new Option('--most <share>', MOST).argParser(share).default(MAX_CHANGED_SHARE, `${100 * MAX_CHANGED_SHARE}%`),
      )
      .option('--yes', 'do it even if more than --most would change or go')
      .option('--renamed', 'many animals have another name and category in the list, and are the same ones')
      .option('--dry-run', 'show what would happen, and change nothing')
      .addOption(bodyLimitOption()),
  creates: true,
  action(run, file, options) {
    const { cli } = run
    const { ref: reference, missing, adopt: adopts, most, yes = false, renamed: renames = false } = options
    const { dryRun = false } = options
    const by = { who: cli.author().who }
    const request = { by, missing, adopts, ...consentTo(yes, most), renames, dryRun }
    return readAnimals(run, file, options, {
      how: { isSync: true, reference },
      run: (store, reading, source) => store.sync.run(reading.batches(), { ...request, source }),
      async tell(outcome) {
        const text = tell(cli, outcome, request)
        const refusal = refusalOf(outcome, request)
        await cli.print(dryRun ? `${linesOf(outcome)}${text}` : text)
        if (refusal !== undefined) throw new CommandFailed(refusal)
      },
    })
  },
})

function linesOf({ changes, counts }: SyncOutcome): string {
  const more = Object.values(counts).reduce((sum, n) => sum + n, 0) - changes.length
  const lines = changes.map((change) => `${toLine(change)}\n`)
  return [...lines, ...(more > 0 ? [`… and ${more} more\n`] : [])].join('')
}

function tell(cli: Cli, outcome: SyncOutcome, { dryRun, missing }: Pick<SyncOptions, 'dryRun' | 'missing'>): string {
  const { n, counts, alike, unlisted, refusal } = outcome
  const { newCategories } = outcome.file
  if (refusal !== undefined) return dryRun ? `${parts(outcome)}\n` : ''
  if (alike > 0 && counts.added > 0) {
    cli.hint(`${alike} of the added look like animals that are here, but which is which is not clear.\n`)
  }
  if (missing === 'keep' && unlisted > 0) {
    cli.hint(`Not in the list any more: ${counted(unlisted, 'animal')}; --missing says what becomes of them.\n`)
  }
  const stay = newCategories.size > 0 ? '; the names of categories stay' : ''
  if (n !== undefined) cli.hint(`\`pets imports undo ${n}\` undoes this${stay}.\n`)
  const categories = [...newCategories].map(([id, label]) => `${id} ${printable(label)}`).join(', ')
  const naming = categories === '' ? '' : ` Categories ${dryRun ? 'that would be named' : 'named'}: ${categories}.`
  return `${parts(outcome)}${naming}${dryRun ? ' Nothing was changed.' : ''}\n`
}

/** As in "120 rows: 2 added, 1 removed." */
function parts({ file: { rows }, counts }: SyncOutcome): string {
  const changes = changesText(counts)
  const list = counted(rows, 'row')
  return changes === '' ? `${list}, and the animals agree with them.` : `${list}: ${changes}.`
}

/** The refusal with the options that go on. */
function refusalOf(
  outcome: SyncOutcome,
  { maxChangedShare }: Pick<SyncOptions, 'maxChangedShare'>,
): string | undefined {
  const { refusal, adoptable } = outcome
  if (refusal === undefined) return undefined
  const advice = {
    renumbered: 'If that is right, --yes goes on.',
    reassigned:
      "If another column has the animals' own numbers, name it with --ref; if they are the same animals, go on with --renamed.",
    alike: `--adopt lets ${adoptable} of them be these animals, --no-adopt adds them all.`,
    'too many': 'If that is right, do it with --yes.',
  }
  return `${printable(syncRefusal(outcome, maxChangedShare) ?? '')}; nothing was changed. ${advice[refusal.why]}`
}

function toLine({ kind, id, reference, now, before }: SyncChange): string {
  const value = (after: unknown, was: unknown) =>
    before === undefined || after === was ? `${after}` : `${was} -> ${after}`
  return [
    VERBS[kind],
    id ?? '-',
    printable(reference),
    printable(value(now.name, before?.name)),
    value(now.categoryId, before?.categoryId),
    value(now.status ?? '-', before?.status ?? '-'),
  ].join('  ')
}

function heading(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the heading of a column, such as "Animal ID".')
  return text.trim()
}

/** A share such as 10%, from 0 to 1. */
function share(text: string): number {
  const [, n] = /^(\d{1,3})%$/.exec(text) ?? []
  if (n !== undefined && Number(n) <= 100) return Number(n) / 100
  throw new InvalidArgumentError('It must be a share from 0% to 100%.')
}
