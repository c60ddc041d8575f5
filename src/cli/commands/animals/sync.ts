/** `pets sync`: makes the animals agree with the list that a shelter keeps in another system. */
import { basename } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { FileImport } from '../../../animals-file/import.ts'
import { sleep } from '../../../common/clock.ts'
import { systemClock } from '../../../common/system-clock.ts'
import { BY_OPTIONS, SHARE_RULE, syncList, toShare } from '../../../service/lists/sync-list.ts'
import { LOOK_EVERY_MS, WatchedFolder } from '../../../service/lists/watched-folder.ts'
import { MISSING, type Missing } from '../../../store/sync.ts'
import { examples } from '../../examples.ts'
import { bodyLimitOption, databaseOption, UsageMistake } from '../../options.ts'
import { hint, note, print } from '../../output.ts'
import { author, createOption, withNewStore } from '../../store.ts'
import { keepMap, mapOption, openFile, report, writeMapOption } from './file.ts'

interface SyncCommandOptions {
  readonly database: string
  readonly create?: true
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
  readonly watch?: string
}

export const sync = new Command('sync')
  .description('Make the animals agree with a list of another system, CSV or NDJSON. Does all of it or nothing.')
  .addHelpText(
    'after',
    examples(
      "pets sync list.csv --ref 'Animal ID' --dry-run",
      "pets sync list.csv --ref 'Animal ID' --adopt --missing sold",
      "pets sync list.csv --ref 'Animal ID' --map 'status:on hold=pending' --write-map weekly.map",
      "pets sync list.csv --ref 'Animal ID' --map @weekly.map",
      "pets sync --watch /var/spool/lists --ref 'Animal ID' --adopt --missing sold",
      "curl -s https://shelter.example/list.csv | pets sync - --ref 'Animal ID' --missing remove",
    ),
  )
  .argument('[file]', 'a file, or - for standard input')
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
    new Option('--most <share>', 'stop if more than this share of the animals of the list before would change or go')
      .argParser(share)
      .default(0.1, '10%'),
  )
  .option('--yes', 'do it even if more than --most would change or go')
  .option('--dry-run', 'show what would happen, and change nothing')
  .addOption(
    new Option('--watch <folder>', 'take each list that is put into this folder, until this is ended').conflicts(
      'dryRun',
    ),
  )
  .addOption(bodyLimitOption())
  .addOption(databaseOption())
  .addOption(createOption())
  .action(async (file: string | undefined, options: SyncCommandOptions, command: Command) => {
    const { watch } = options
    if ((file === undefined) === (watch === undefined)) {
      throw new UsageMistake('Name either a file, or a folder with --watch.')
    }
    if (file !== undefined) await print(await syncFile(file, options, command, note))
    if (watch === undefined) return
    const folder = new WatchedFolder(watch, {
      now: systemClock.now,
      sync: (list, noteProblem) => syncFile(list, options, command, noteProblem),
      tell: (name, became, why) => note(tellTaken(name, became, why)),
    })
    for (;;) {
      await folder.look()
      await sleep(systemClock, LOOK_EVERY_MS)
    }
  })

/** Returns what is to be printed. Throws ListRefused, or what the store throws. */
async function syncFile(
  file: string,
  options: SyncCommandOptions,
  command: Command,
  noteProblem: (text: string) => void,
): Promise<string> {
  const { ref: reference, map, writeMap, missing, adopt: adopts, most, yes = false, dryRun = false } = options
  const { chunks, progress, close } = await openFile(file, 'comparing', 'changed')
  const doing = { by: author(), source: basename(file), missing, adopts, most: yes ? 1 : most, dryRun }
  try {
    return await withNewStore(options, command, async (store) => {
      const onRead = (reading: FileImport) => {
        progress.stop()
        report(reading, noteProblem)
        // What is told here is in the report of a refused list, too.
        if (options.watch !== undefined) for (const { text } of reading.notes) noteProblem(`${text}\n`)
      }
      const list = { chunks, rowLimit: options.bodyLimit, reference, map, namesNew: options.newCategories ?? false }
      const { text, mapping, guess } = await syncList(store, list, doing, { onRead, hint, advice: BY_OPTIONS })
      if (writeMap !== undefined) await keepMap(writeMap, { mapping, guess })
      return text
    })
  } finally {
    await close()
  }
}

function tellTaken(name: string, became: 'done' | 'refused' | 'put off', why: string): string {
  if (became === 'done') return `${name}: ${why}`
  return became === 'refused'
    ? `${name} is in failed/, with the reasons beside it: ${why}\n`
    : `${name} is tried again: ${why}\n`
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
