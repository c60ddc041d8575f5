/** `pets sync`: makes the animals agree with the list that a shelter keeps in another system. */
import { counted } from '../../../common/counted.ts'
import { printable } from '../../../common/printable.ts'
import { changesText, guardText } from '../../../domain/file-outcome.ts'
import { MISSING, type SyncChange } from '../../../rules/sync.ts'
import type { SyncOutcome } from '../../../store/sync.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { bodyLimitOption, CommandFailed, InvalidArgumentError, Option } from '../../options.ts'
import { MAP, proposalText, readList, SKIP_INVALID, YES } from './file.ts'

/** What is done with an animal, as a line of what would be. */
const VERBS = {
  added: 'add',
  adopted: 'adopt',
  changed: 'change',
  restored: 'restore',
  left: 'left',
  marked: 'change',
  removed: 'remove',
} as const
const CHANGES_SHOWN = 20
const UNLISTED_SHOWN = 10

export const sync = command({
  about: 'Make the animals agree with a list of another system. All changes are made together, or none.',
  examples: [
    'pets sync list.csv --dry-run',
    "pets sync list.csv --ref 'Animal ID' --adopt --missing sold",
    'pets sync list.csv --map @weekly.map',
    'curl -s https://shelter.example/list.csv | pets sync -',
  ],
  takes: (command) =>
    command
      .argument('<file>', 'a file, or - for standard input')
      .option('--ref <column>', "column with each animal's ID in the other system", heading)
      .addOption(MAP)
      .addOption(
        new Option(
          '--missing <what>',
          'what happens to animals that are missing from the list; kept with the mapping',
        ).choices(MISSING),
      )
      .option('--adopt', 'match new rows with existing animals by name and category')
      .option('--no-adopt', 'add every new row as a new animal')
      .addOption(SKIP_INVALID)
      .addOption(YES)
      .option('--dry-run', 'show the result, and change nothing')
      .addOption(bodyLimitOption()),
  creates: true,
  action(run, file, options) {
    const { cli } = run
    const { ref: reference, missing, adopt: adopts, skipInvalid = false, dryRun = false } = options
    return readList(run, file, options, {
      job: { sync: { reference, missing }, adopts, skipInvalid },
      async tell(result) {
        const { outcome } = result
        if (outcome === undefined || !('counts' in outcome)) return
        if (dryRun && result.look.by.kind === 'proposal') await cli.print(`${proposalText(result)}\n`)
        const text = tell(cli, outcome, result.missing === 'keep', dryRun)
        await cli.print(dryRun ? `${linesOf(outcome)}${text}` : text)
        if (outcome.isRefused) throw new CommandFailed(refusalOf(outcome, options.yes ?? false))
      },
    })
  },
})

function linesOf({ changes, counts }: SyncOutcome): string {
  const first = changes.slice(0, CHANGES_SHOWN)
  const more = Object.values(counts).reduce((sum, n) => sum + n, 0) - first.length
  const lines = first.map((change) => `${toLine(change)}\n`)
  return [...lines, ...(more > 0 ? [`… and ${more} more\n`] : [])].join('')
}

function tell(cli: Cli, outcome: SyncOutcome, keepsMissing: boolean, dryRun: boolean): string {
  const { n, counts, alike, unlisted, unlistedRows, isRefused } = outcome
  const { newCategories } = outcome.file
  if (keepsMissing && unlisted > 0) {
    const names = unlistedRows
      .slice(0, UNLISTED_SHOWN)
      .map(({ name, reference }) => printable(`${name} (${reference})`))
    const more = unlisted > names.length ? ', …' : ''
    const hint = `Missing from the list: ${counted(unlisted, 'animal')}, ${names.join(', ')}${more}.`
    cli.hint(`${hint} --missing decides what happens to them.\n`)
  }
  if (isRefused) return dryRun ? `${parts(outcome)}\n` : ''
  if (alike > 0 && counts.added > 0) {
    cli.hint(`${alike} of the added animals look like existing animals, but it is not clear which.\n`)
  }
  const stay = newCategories.size > 0 ? '; the new categories stay' : ''
  if (n !== undefined) cli.hint(`\`pets imports undo ${n}\` undoes this${stay}.\n`)
  const categories = [...newCategories].map(([id, label]) => `${id} ${printable(label)}`).join(', ')
  const naming = categories === '' ? '' : ` Categories ${dryRun ? 'that would be created' : 'created'}: ${categories}.`
  return `${parts(outcome)}${naming}${dryRun ? ' Nothing was changed.' : ''}\n`
}

/** As in "120 rows: 2 added, 1 removed." */
function parts({ file: { rows }, counts }: SyncOutcome): string {
  const changes = changesText(counts)
  const list = counted(rows, 'row')
  return changes === '' ? `${list}, and the animals agree with them.` : `${list}: ${changes}.`
}

/** Why nothing was done, with the options that go on. */
function refusalOf({ guard, alike, adoptable }: SyncOutcome, agrees: boolean): string {
  const many = guard === undefined || agrees ? [] : [`${printable(guardText(guard))} If that is right, add --yes.`]
  const who = `${alike} new rows look like existing animals.`
  const names =
    alike === 0 ? [] : [`${who} --adopt matches ${adoptable} of them with these animals, --no-adopt adds them all.`]
  return [...many, ...names, 'Nothing was changed.'].join(' ')
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
