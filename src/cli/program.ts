/** The command line: loads only the module of the command. Exits 2 on usage errors and 1 on failures. */
import { Command, CommanderError } from 'commander'
import { ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import { about } from '../common/version.ts'
import { Cli, type Io, OutputClosed } from './cli.ts'
import type { MakeCommand } from './command.ts'
import { asTyped, COMMAND } from './command-name.ts'
import { UsageError } from './options.ts'
import { assertNotRemoved, wordsOf } from './removed.ts'
import { applySettings, SettingsHelp } from './settings.ts'

const VERSION_FLAGS = ['-V', '--version']
const VERSION_REQUESTED = 'pets.version'
const CONFIG = 'settings file (default: pets.conf next to the database, or /etc/pets.conf) (env: PETS_CONFIG)'

type Load = () => Promise<MakeCommand>

/** By header of `--help`. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'The service:': {
    serve: async () => (await import('./commands/service/serve.ts')).serve,
    health: async () => (await import('./commands/service/health.ts')).health,
    config: async () => (await import('./commands/service/config.ts')).config,
  },
  'Keys and people:': {
    keys: async () => (await import('./commands/access/keys.ts')).keys,
    usage: async () => (await import('./commands/access/usage.ts')).usage,
    people: async () => (await import('./commands/access/people.ts')).people,
  },
  'Animals:': {
    import: async () => (await import('./commands/animals/import.ts')).importAnimals,
    sync: async () => (await import('./commands/animals/sync.ts')).sync,
    imports: async () => (await import('./commands/animals/imports.ts')).imports,
    export: async () => (await import('./commands/animals/export.ts')).exportAnimals,
    publish: async () => (await import('./commands/animals/publish.ts')).publish,
    settings: async () => (await import('./commands/animals/settings.ts')).settings,
    find: async () => (await import('./commands/animals/find.ts')).find,
    'set-status': async () => (await import('./commands/animals/change.ts')).setStatus,
    remove: async () => (await import('./commands/animals/change.ts')).remove,
    'restore-animal': async () => (await import('./commands/animals/change.ts')).restoreAnimal,
    categories: async () => (await import('./commands/animals/categories.ts')).categories,
  },
  'The database:': {
    backup: async () => (await import('./commands/database/backup.ts')).backup,
    backups: async () => (await import('./commands/database/backups.ts')).backups,
    restore: async () => (await import('./commands/database/backup.ts')).restore,
    verify: async () => (await import('./commands/database/backup.ts')).verify,
    copy: async () => (await import('./commands/database/copy.ts')).copy,
  },
  'The API:': {
    openapi: async () => (await import('./commands/service/openapi.ts')).openapi,
    check: async () => (await import('./commands/service/check.ts')).check,
  },
}

/** Values that replace defaults of `pets serve`. */
export type ServeDefaults = Readonly<Record<string, unknown>>

/** Returns the exit code when the command ends or the service runs. Never rejects. */
export async function runPets(args: readonly string[], io: Io, serveDefaults: ServeDefaults = {}): Promise<number> {
  const cli = new Cli(io)
  const writes: Promise<void>[] = []
  try {
    assertNotRemoved(args)
    const program = await toProgram(cli, args.find((arg) => VERSION_FLAGS.includes(arg)) ?? wordsOf(args)[0])
    for (const [name, value] of Object.entries(serveDefaults)) {
      program.commands.find((one) => one.name() === 'serve')?.setOptionValueWithSource(name, value, 'default')
    }
    prepare(program, cli, writes)
    assertKnownCommand(program, args)
    await program.parseAsync(args, { from: 'user' })
    await Promise.all(writes)
    return 0
  } catch (error) {
    const failure = await Promise.all(writes).then(
      () => error,
      (unwritten: unknown) => unwritten,
    )
    if (!(failure instanceof CommanderError)) return reportFailure(cli, failure)
    if (failure.code !== VERSION_REQUESTED) return failure.exitCode === 0 ? 0 : 2
    return cli.print(`${about()}\n`).then(
      () => 0,
      (unwritten: unknown) => reportFailure(cli, unwritten),
    )
  }
}

/** Loads only the command `only`, or all commands if there is none. */
async function toProgram(cli: Cli, only = ''): Promise<Command> {
  const program = new Command(COMMAND)
    .description('Run and manage the pet adoption service.')
    .option(VERSION_FLAGS.join(', '), 'print the version, its commit, and the version of Node.js')
    .option('--quiet', 'print only results and errors, without hints and progress')
    .option('--config <file>', CONFIG)
    .showHelpAfterError(`\`${COMMAND} --help\` lists the commands.`)
    .on('option:version', () => {
      throw new CommanderError(0, VERSION_REQUESTED, '')
    })
  const isOne = VERSION_FLAGS.includes(only) || Object.values(GROUPS).some((commands) => Object.hasOwn(commands, only))
  for (const [heading, commands] of Object.entries(GROUPS)) {
    for (const [name, load] of Object.entries(commands)) {
      if (isOne && name !== only) continue
      program.addCommand((await load())(cli, name).helpGroup(heading))
    }
  }
  const help = new Command('help').argument('[command]').description('Show the help of a command.')
  program.addHelpCommand(help.helpGroup(Object.keys(GROUPS).at(-1) ?? ''))
  return program.hook('preAction', (_program, command) => {
    cli.isQuiet = program.opts().quiet === true
    cli.config = program.opts().config
    cli.removedSettings = applySettings(cli, command).removed
  })
}

/** Rejects unknown subcommands, and unknown commands after `help`, which commander accepts. */
function assertKnownCommand(program: Command, args: readonly string[]): void {
  const [name = '', word] = wordsOf(args)
  if (word === undefined || (name !== 'help' && args[args.indexOf(name) + 1] !== word)) return
  const parent = name === 'help' ? program : program.commands.find((one) => one.name() === name)
  const names = (parent?.commands ?? []).map((one) => one.name())
  if (names.length === 0 || [...names, 'help'].includes(word)) return
  throw new UsageError(
    `The command ${printable(word)}${name === 'help' ? '' : ` of ${name}`} does not exist. Choose from: ${names.join(', ')}.`,
  )
}

/** Makes commander throw instead of exiting, and print its texts through `cli`. */
function prepare(command: Command, cli: Cli, writes: Promise<void>[]): void {
  const { stdout, stderr } = cli.io
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      const writing = cli.print(asTyped(text))
      // Awaited at the end.
      writing.catch(() => {})
      writes.push(writing)
    },
    writeErr: (text) => cli.warn(text),
    getOutHelpWidth: () => stdout.columns ?? 80,
    getErrHelpWidth: () => stderr.columns ?? 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
  command.createHelp = () => new SettingsHelp()
  for (const subcommand of command.commands) prepare(subcommand, cli, writes)
}

/** A reader that closed the pipe (`pets keys list | head`) is not a failure. */
export function reportFailure(cli: Cli, error: unknown): number {
  if (error instanceof OutputClosed) return 0
  cli.warn(`${textOf(error)}\n`)
  return error instanceof ExplainedError ? error.exitCode : 1
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof ExplainedError ? error.message : (error.stack ?? error.message)
}
