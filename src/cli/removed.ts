/** What 3.0 removed. A removed setting is an error as an option, but only reported elsewhere: no update stops a service. */
import { UsageError } from './options.ts'

const READY_MAPPINGS = ['asm3', 'shelterluv', 'rescuegroups', 'petfinder', 'longbeach']

/** By the words after `pets`, with commas between names: what to use instead, as the end of a sentence, or nothing. */
const ROWS: Readonly<Record<string, string>> = {
  completion: '',
  doctor: 'use `pets health`',
  edit: 'correct an animal in the office',
  journal: 'the office shows the journal',
  report: 'the office shows the report',
  show: 'the office shows an animal with its history, and `pets find --json` its members',
  upgrade: '`pets serve` upgrades the database and keeps a copy',
  'health --ca, health --url': 'use `curl URL/readyz`',
  'imports undo --by, imports undo --since': 'use `pets find --by ID --since TIME` and `pets remove`',
  'imports undo --dry-run': '',
  'import --new-categories, sync --new-categories': 'the proposal includes it: confirm it on a terminal or with --yes',
  'import --category, sync --category': 'use --map @FILE with the line `category = * NAME`',
  'import --write-map, sync --write-map': 'the proposal is printed as a mapping',
  'import --map TEXT, sync --map TEXT': 'save the lines in a file, and use --map @FILE',
  [READY_MAPPINGS.map((name) => `import --map @${name}, sync --map @${name}`).join(', ')]:
    'files of this system need no mapping',
  'sync --most': '--yes agrees to many changes',
  'sync --renamed': '--yes confirms references that now belong to other animals',
  'publish --status': 'use `pets settings set statuses LIST`',
  'publish --title': 'use `pets settings set title TITLE`',
  'people invite --office-url, people reset --office-url': 'use --office',
  'serve --office-url': 'use --office URL',
  'serve --ban-after, serve --ban-window, serve --ban-for': 'use --ban AFTER/WINDOW/FOR',
  'serve --backup-keep': 'use --backup-every TIME/KEEP',
  'serve --counters-down': 'a node counts alone while the shared counters are down',
  'serve --warn-at': 'the alert PetsKeyNearLimit reports keys that are near their limit',
  'serve --file-group': 'only the user of the service can read its files',
  'serve --operator-host': 'use --operator-port HOST:PORT',
  'serve --shelter-name': 'set the name under Settings in the office',
}

export const REMOVED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ROWS).flatMap(([names, instead]) => names.split(', ').map((name) => [name, instead])),
)

export const REMOVED_SETTINGS = Object.keys(REMOVED).flatMap((typed) => /^serve --(.+)/.exec(typed)?.slice(1) ?? [])

export interface RemovedSetting {
  readonly name: string
  readonly value: string
  readonly sentence: string
}

/** Undefined if no such setting was removed. `where` names the line or variable. */
export function removedSetting(name: string, value: string, where: string): RemovedSetting | undefined {
  const instead = REMOVED[`serve --${name}`]
  return instead === undefined ? undefined : { name, value, sentence: sentenceOf(where, instead) }
}

/** Throws UsageError. */
export function assertNotRemoved(args: readonly string[]): void {
  const end = args.indexOf('--')
  const typed = end === -1 ? args : args.slice(0, end)
  const [name = '', below = ''] = wordsOf(typed).filter((word) => word !== 'help')
  for (const command of [name, `${name} ${below}`]) {
    if (Object.hasOwn(REMOVED, command)) throw new UsageError(sentenceOf(`\`pets ${command}\``, REMOVED[command]))
    for (const [at, arg] of typed.entries()) {
      const [flag = '', value = typed[at + 1] ?? ''] = arg.split(/=(.*)/s)
      const isText = flag === '--map' && value !== '' && !value.startsWith('@')
      const option = [`${flag} ${isText ? 'TEXT' : value}`, flag].find((one) =>
        Object.hasOwn(REMOVED, `${command} ${one}`),
      )
      if (option?.startsWith('--')) throw new UsageError(sentenceOf(option, REMOVED[`${command} ${option}`]))
    }
  }
}

/** The command, its subcommand and further arguments, without options and the value of `--config`. */
export function wordsOf(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--config')
}

function sentenceOf(what: string, instead = ''): string {
  return `${what} was removed in 3.0${instead && `: ${instead}`}.`
}
