/** Builders for commands on the database: help, shared options, and output of rows. */
import type * as typed from '@commander-js/extra-typings'
import { Command, Option } from 'commander'
import { printable, printableJson } from '../common/printable.ts'
import type { Store } from '../store/store.ts'
import type { Cli } from './cli.ts'
import { COMMAND } from './command-name.ts'
import { databaseOption } from './options.ts'
import { withStore } from './store.ts'
import { tableOf } from './table.ts'

/** What a command may have besides its own options. */
interface SharedOptions {
  readonly database: string
  readonly json?: true | undefined
  readonly csv?: true | undefined
}

interface Spec<Context, Arguments extends unknown[], Options extends typed.OptionValues> {
  readonly about: string
  /** Shell lines in which the program is called `pets`. */
  readonly examples: readonly string[]
  /** Adds the command's own arguments and options. */
  readonly takes?: (command: typed.Command) => typed.Command<Arguments, Options>
  /** Whether it has `--create`, for a database that is not there yet. */
  readonly creates?: true
  /** What `--json` prints; without it there is no such option. */
  readonly json?: string
  /** What `--csv` prints, in place of `--json`. */
  readonly csv?: string
  /** Gets the arguments and the options as commander has read them. */
  readonly action: (context: Context, ...rest: [...Arguments, Options & SharedOptions]) => Promise<unknown>
}

/** First argument of an action, before the command's arguments and options. */
export interface Run {
  /** For usage errors that concern several arguments: `command.error(…)` exits 2. */
  readonly command: Command
  /** Opens the database, and closes it when `work` is done. */
  readonly withStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>
}

export function command(name: string, about: string, examples: readonly string[]): Command {
  return new Command(name).description(about).addHelpText('after', examplesText(examples))
}

/** A command whose action opens the database itself. */
export function databaseCommand<
  Arguments extends unknown[] = [],
  Options extends typed.OptionValues = Record<never, never>,
>(
  cli: Cli,
  name: string,
  { about, examples, takes, creates, json, csv, action }: Spec<Run, Arguments, Options>,
): Command {
  const created = command(name, about, examples)
  takes?.(created as unknown as typed.Command)
  created.addOption(databaseOption())
  if (creates) created.addOption(new Option('--create', 'create the database if it does not exist'))
  if (json !== undefined) created.addOption(new Option('--json', json).conflicts(csv === undefined ? [] : 'csv'))
  if (csv !== undefined) created.option('--csv', csv)
  return created.action(async (...args: unknown[]) => {
    const run: Run = { command: created, withStore: (work) => withStore(cli, created, work) }
    await action(run, ...(args.slice(0, -1) as unknown as [...Arguments, Options & SharedOptions]))
  })
}

/** A command whose action gets the open database. */
export function storeCommand<
  Arguments extends unknown[] = [],
  Options extends typed.OptionValues = Record<never, never>,
>(
  cli: Cli,
  name: string,
  spec: Spec<{ readonly store: Store; readonly command: Command }, Arguments, Options>,
): Command {
  return databaseCommand<Arguments, Options>(cli, name, {
    ...spec,
    action: ({ withStore, command }, ...rest) => withStore((store) => spec.action({ store, command }, ...rest)),
  })
}

function examplesText(lines: readonly string[]): string {
  const typed = lines.map((line) => `  ${line.replaceAll(/(^|\| )pets /g, `$1${COMMAND} `)}`)
  return `\n${typed.length === 1 ? 'Example' : 'Examples'}:\n${typed.join('\n')}`
}

interface Rows<Row, Json extends object> {
  /** In pages, if there may be many. */
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>
  /** Whether they are printed as JSON, an object a line. */
  readonly json: true | undefined
  /** Text where a number of it is an int64. */
  readonly toJson: (row: Row) => Json | string
  /** The columns of a table by heading: a member of the JSON, or what is shown instead. */
  readonly columns: Readonly<Record<string, (keyof Json & string) | ((row: Row) => string)>>
  /** The hint where there are no rows. */
  readonly none: string
}

/** Prints rows as JSON lines or as a table, and a hint where there are none. */
export async function printRows<Row, Json extends object>(
  cli: Cli,
  { rows, json, toJson, columns, none }: Rows<Row, Json>,
): Promise<void> {
  const toTable = tableOf(Object.keys(columns), cli.io.stdout.columns)
  const toCells = (row: Row) => {
    const values: Readonly<Record<string, unknown>> = Object(toJson(row))
    return Object.values(columns).map((shown) =>
      typeof shown === 'string' ? cellOf(shown, values[shown]) : shown(row),
    )
  }
  let isEmpty = true
  for await (const page of Array.isArray(rows) ? [rows as readonly Row[]] : (rows as AsyncIterable<readonly Row[]>)) {
    if (page.length === 0) continue
    isEmpty = false
    await cli.print(json ? page.map((row) => lineOf(toJson(row))).join('') : toTable(page.map(toCells)))
  }
  if (isEmpty) cli.hint(none)
}

function lineOf(json: object | string): string {
  return `${typeof json === 'string' ? json : printableJson(json)}\n`
}

/** A time, whose name ends in `At`, to the minute. */
function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '-'
  return /^at$|At$/.test(name) ? `${String(value).slice(0, 16)}Z` : printable(String(value))
}
