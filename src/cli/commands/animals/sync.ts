/** `pets sync`: makes the animals agree with the list that a shelter keeps in another system. */
import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FileImport } from '../../../animals-file/import.ts'
import type { Mapping } from '../../../animals-file/mapping.ts'
import { MISSING, type Missing } from '../../../store/sync.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand, type Run } from '../../command.ts'
import { bodyLimitOption, CommandFailed } from '../../options.ts'
import { categoryOption, mapOption, openFile, report, writeMap, writeMapOption } from './file.ts'
import { SHARE_RULE, syncList, toShare } from './sync-list.ts'

interface SyncCommandOptions {
  readonly bodyLimit: number
  readonly ref?: string
  readonly category?: string
  readonly map: readonly string[]
  readonly writeMap?: string
  readonly missing: Missing
  readonly adopt?: boolean
  readonly newCategories?: true
  readonly most: number
  readonly yes?: true
  readonly dryRun?: true
}

export function sync(cli: Cli): Command {
  return databaseCommand(cli, 'sync', {
    about: 'Make the animals agree with a list of another system, CSV or NDJSON. Does all of it or nothing.',
    examples: [
      "pets sync list.csv --ref 'Animal ID' --dry-run",
      "pets sync list.csv --ref 'Animal ID' --adopt --missing sold",
      'pets sync list.csv --write-map weekly.map',
      'pets sync list.csv --map @weekly.map',
      "curl -s https://shelter.example/list.csv | pets sync - --ref 'Animal ID' --missing remove",
    ],
    takes: (made) =>
      made
        .argument('<file>', 'a file, or - for standard input')
        .option('--ref <column>', "the column with the other system's id of each animal", heading)
        .addOption(mapOption())
        .addOption(categoryOption())
        .addOption(writeMapOption())
        .addOption(
          new Option('--missing <what>', 'what becomes of animals that are not in the list any more')
            .choices(MISSING)
            .default('keep'),
        )
        .option('--adopt', 'take animals that are here already for those of the list, by name and category')
        .option('--no-adopt', 'add all animals of the list that are new in it')
        .option('--new-categories', 'give names of categories that are not there a number each')
        .addOption(
          new Option(
            '--most <share>',
            'stop if more than this share of the animals of the list before would change or go',
          )
            .argParser(share)
            .default(0.1, '10%'),
        )
        .option('--yes', 'do it even if more than --most would change or go')
        .option('--dry-run', 'show what would happen, and change nothing')
        .addOption(bodyLimitOption()),
    creates: true,
    action: (run, file: string, options: SyncCommandOptions) => syncFile(cli, run, file, options),
  })
}

/** Throws CommandFailed, or what the store throws. */
async function syncFile(cli: Cli, { withStore }: Run, file: string, options: SyncCommandOptions): Promise<void> {
  const { ref: reference, map, category, missing, adopt: adopts, most, yes = false, dryRun = false } = options
  const { chunks, progress, close } = await openFile(cli, file, 'comparing', 'changed')
  const source = basename(file)
  const doing = { by: cli.author(), source, missing, adopts, most: yes ? 1 : most, agrees: yes, dryRun }
  const { bodyLimit: rowLimit, newCategories: namesNew = false } = options
  const list = { chunks, rowLimit, source, reference, map, category, namesNew }
  let write = async () => {}
  try {
    await withStore(async (store) => {
      const onRead = (reading: FileImport, mapping: Mapping) => {
        progress.stop()
        report(cli, reading)
        write = () => writeMap(cli, options.writeMap, mapping, reading)
      }
      const { text, refusal } = await syncList(cli, store, list, doing, onRead)
      await cli.print(text)
      if (refusal !== undefined) throw new CommandFailed(refusal)
    }).finally(() => write())
  } finally {
    await close()
  }
}

function heading(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the heading of a column, such as "Animal ID".')
  return text.trim()
}

/** Throws InvalidArgumentError. */
function share(text: string): number {
  const most = toShare(text)
  if (most === undefined) throw new InvalidArgumentError(SHARE_RULE)
  return most
}
