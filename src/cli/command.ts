/** A command as data: help, options, examples, and an action that returns what to show. */
import type * as typed from '@commander-js/extra-typings'
import { Command, Option } from 'commander'
import { printable, printableJson } from '../common/printable.ts'
import type { Store } from '../store/store.ts'
import type { Cli } from './cli.ts'
import { COMMAND } from './command-name.ts'
import { databaseOption } from './options.ts'
import { openDatabase } from './store.ts'

export type MakeCommand = (cli: Cli, name: string) => Command

interface SharedOptions {
  readonly database: string
  readonly json?: true | undefined
  readonly csv?: true | undefined
}

interface Spec<Arguments extends unknown[], Options extends typed.OptionValues> {
  readonly about: string
  readonly examples: readonly string[]
  /** Adds arguments and options. */
  readonly takes?: (command: typed.Command) => typed.Command<Arguments, Options>
  /** False if there is no `--database`, or `takes` adds it. */
  readonly database?: false
  /** Adds `--create`. */
  readonly creates?: true
  /** The help of `--json`, and of `--csv`. Without it there is no such option. */
  readonly json?: string
  readonly csv?: string
  readonly action: (run: Run, ...rest: [...Arguments, Options & SharedOptions]) => MaybeOutput | Promise<MaybeOutput>
}

export interface Run {
  readonly cli: Cli
  readonly command: Command
  /** The database, which is closed at the end. Check what was typed first: this might create the file. */
  readonly open: () => Promise<Store>
  /** Prints before the action ends. */
  readonly show: (output: Output) => Promise<void>
}

/** Text, rows, or text with the JSON for `--json`. JSON is text if it contains an int64. */
type Output = string | { readonly json: object | string; readonly text: string } | Table
// biome-ignore lint/suspicious/noConfusingVoidType: an action may return nothing
type MaybeOutput = Output | undefined | void

export function command<Arguments extends unknown[] = [], Options extends typed.OptionValues = Record<never, never>>({
  about,
  examples,
  takes,
  database,
  creates,
  json,
  csv,
  action,
}: Spec<Arguments, Options>): MakeCommand {
  return (cli, name) => {
    const command = new Command(name).description(about).addHelpText('after', examplesText(examples))
    takes?.(command as unknown as typed.Command)
    if (database !== false) command.addOption(databaseOption())
    if (creates) command.option('--create', 'create the database if it does not exist')
    if (json !== undefined) command.addOption(new Option('--json', json).conflicts(csv === undefined ? [] : 'csv'))
    if (csv !== undefined) command.option('--csv', csv)
    return command.action(async (...args: unknown[]) => {
      let store: Promise<Store> | undefined
      const open = () => {
        store ??= openDatabase(cli, command)
        return store
      }
      const show = (output: Output) => print(cli, output, command.opts())
      try {
        const rest = args.slice(0, -1) as unknown as [...Arguments, Options & SharedOptions]
        await show((await action({ cli, command, open, show }, ...rest)) ?? '')
      } finally {
        await (await store)?.close()
      }
    })
  }
}

/** Commands below one. `list` is its default. */
export function group(about: string, commands: Readonly<Record<string, MakeCommand>>): MakeCommand {
  return (cli, name) => {
    const parent = new Command(name).description(about)
    for (const [one, make] of Object.entries(commands)) {
      parent.addCommand(make(cli, one), { isDefault: one === 'list' })
    }
    return parent
  }
}

function examplesText(lines: readonly string[]): string {
  const typed = lines.map((line) => `  ${line.replaceAll(/(^|\| )pets /g, `$1${COMMAND} `)}`)
  return `\n${typed.length === 1 ? 'Example' : 'Examples'}:\n${typed.join('\n')}`
}

async function print(cli: Cli, output: Output, form: Form): Promise<void> {
  if (output === '') return
  if (typeof output === 'string') await cli.print(output)
  else if ('print' in output) await output.print(cli, form)
  else await cli.print(form.json ? lineOf(output.json) : output.text)
}

type Form = Pick<SharedOptions, 'json' | 'csv'>

interface RowsSpec<Row, Json extends object> {
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>
  readonly toJson: (row: Row) => Json | string
  /** By header: a member of the JSON and of CSV, a cell that a table shows instead, or both. */
  readonly columns: Readonly<Record<string, Member<Json> | Cell<Row> | readonly [Member<Json>, Cell<Row>]>>
  /** The hint if there are no rows. */
  readonly none: string
}

type Member<Json> = keyof Json & string
type Cell<Row> = (row: Row) => string

interface Table {
  readonly print: (cli: Cli, form: Form) => Promise<void>
}

export function rowsOf<Row, Json extends object>({ rows, toJson, columns, none }: RowsSpec<Row, Json>): Table {
  const cells = Object.values(columns).map((column) => (typeof column === 'object' ? column[1] : column))
  const members = Object.values(columns).flatMap((column) => {
    const member = typeof column === 'object' ? column[0] : column
    return typeof member === 'string' ? [member] : []
  })
  const valuesOf = (row: Row): Readonly<Record<string, unknown>> => Object(toJson(row))
  const toCells = (row: Row) => {
    const values = valuesOf(row)
    return cells.map((cell) => (typeof cell === 'string' ? cellOf(cell, values[cell]) : cell(row)))
  }
  return {
    async print(cli, { json, csv }) {
      const { tableOf } = await import('./table.ts')
      const toTable = tableOf(Object.keys(columns), cli.io.stdout.columns)
      let toText = (page: readonly Row[]) => toTable(page.map(toCells))
      if (json) toText = (page) => page.map((row) => lineOf(toJson(row))).join('')
      if (csv) {
        const { stringify } = await import('csv-stringify/sync')
        toText = (page) => stringify(page.map(valuesOf), { columns: members, record_delimiter: 'windows' })
        await cli.print(stringify([members], { record_delimiter: 'windows' }))
      }
      let isEmpty = true
      const pages = Symbol.asyncIterator in rows ? rows : [rows]
      for await (const page of pages) {
        if (page.length === 0) continue
        isEmpty = false
        await cli.print(toText(page))
      }
      if (isEmpty) cli.hint(none)
    },
  }
}

function lineOf(json: object | string): string {
  return `${typeof json === 'string' ? json : printableJson(json)}\n`
}

/** Times, whose names end in `At`, are shown to the minute. */
function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '-'
  return /^at$|At$/.test(name) ? `${String(value).slice(0, 16)}Z` : printable(String(value))
}
