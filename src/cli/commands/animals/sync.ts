/** `pets sync`: makes the animals agree with the list that a shelter keeps in another system. */
import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FileImport } from '../../../animals-file/import.ts'
import { MISSING, type Missing } from '../../../store/sync.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand, type Run } from '../../command.ts'
import { bodyLimitOption } from '../../options.ts'
import { keepMap, mapOption, openFile, report, writeMapOption } from './file.ts'
import { SHARE_RULE, syncList, toShare } from './sync-list.ts'

interface SyncCommandOptions {
  readonly bodyLimit: number
  readonly ref: string
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
      "pets sync list.csv --ref 'Animal ID' --map 'status:on hold=pending' --write-map weekly.map",
      "pets sync list.csv --ref 'Animal ID' --map @weekly.map",
      "curl -s https://shelter.example/list.csv | pets sync - --ref 'Animal ID' --missing remove",
    ],
    takes: (made) =>
      made
        .argument('<file>', 'a file, or - for standard input')
        .requiredOption('--ref <column>', "the column with the other system's id of each animal", heading)
        .addOption(mapOption())
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
    action: async (run, file: string, options: SyncCommandOptions) =>
      cli.print(await syncFile(cli, run, file, options)),
  })
}

/** Returns what is to be printed. Throws CommandFailed, or what the store throws. */
async function syncFile(cli: Cli, { withStore }: Run, file: string, options: SyncCommandOptions): Promise<string> {
  const { ref: reference, map, writeMap, missing, adopt: adopts, most, yes = false, dryRun = false } = options
  const { chunks, progress, close } = await openFile(cli, file, 'comparing', 'changed')
  const doing = { by: cli.author(), source: basename(file), missing, adopts, most: yes ? 1 : most, agrees: yes, dryRun }
  try {
    return await withStore(async (store) => {
      const onRead = (reading: FileImport) => {
        progress.stop()
        report(cli, reading)
      }
      const list = { chunks, rowLimit: options.bodyLimit, reference, map, namesNew: options.newCategories ?? false }
      const hint = (text: string) => cli.hint(text)
      const { text, mapping, guess } = await syncList(store, list, doing, { onRead, hint })
      if (writeMap !== undefined) await keepMap(cli, writeMap, { mapping, guess })
      return text
    })
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
