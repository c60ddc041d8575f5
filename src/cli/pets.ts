#!/usr/bin/env node
/**
 * The `pets` command: finds the subcommand and loads only that one, so that the service starts fast. Exits 2 on wrong
 * usage and 1 on a failure, each with one sentence on stderr.
 */
import { setFlagsFromString } from 'node:v8'
import { Command, CommanderError } from 'commander'
import { ExplainedError } from '../common/errors.ts'
import { about } from '../common/version.ts'
import { asTyped, COMMAND } from './command-name.ts'
import { keepCompiledCode } from './compile-cache.js'
import { beQuiet, note, OutputClosed, print, watchOutput } from './output.ts'

keepCompiledCode()
// Compiling in the background, V8 may wait for this thread, which waits for it at the end of the process: a command has
// done its work then, and never ends (nodejs/node#54918).
setFlagsFromString('--no-concurrent-sparkplug')
watchOutput(fail)

const VERSION_ASKED = 'pets.version'

type Load = () => Promise<Command>

/** By the headings of `--help`. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'The service:': {
    serve: async () => (await import('./commands/service/serve.ts')).serve,
    health: async () => (await import('./commands/service/health.ts')).health,
    doctor: async () => (await import('./commands/service/doctor.ts')).doctor,
  },
  'Keys and people:': {
    keys: async () => (await import('./commands/access/keys.ts')).keys,
    usage: async () => (await import('./commands/access/usage.ts')).usage,
    people: async () => (await import('./commands/access/people.ts')).people,
  },
  'Animals:': {
    import: async () => (await import('./commands/animals/import.ts')).importPets,
    sync: async () => (await import('./commands/animals/sync.ts')).sync,
    imports: async () => (await import('./commands/animals/imports.ts')).imports,
    export: async () => (await import('./commands/animals/export.ts')).exportPets,
    publish: async () => (await import('./commands/animals/publish.ts')).publish,
    find: async () => (await import('./commands/animals/find.ts')).find,
    show: async () => (await import('./commands/animals/find.ts')).show,
    'set-status': async () => (await import('./commands/animals/set-status.ts')).setStatus,
    edit: async () => (await import('./commands/animals/correct.ts')).edit,
    remove: async () => (await import('./commands/animals/correct.ts')).remove,
    'restore-animal': async () => (await import('./commands/animals/correct.ts')).restoreAnimal,
    categories: async () => (await import('./commands/animals/categories.ts')).categories,
    journal: async () => (await import('./commands/animals/journal.ts')).journal,
    report: async () => (await import('./commands/animals/report.ts')).report,
  },
  'The database:': {
    backup: async () => (await import('./commands/database/backup.ts')).backup,
    restore: async () => (await import('./commands/database/backup.ts')).restore,
    verify: async () => (await import('./commands/database/backup.ts')).verify,
    upgrade: async () => (await import('./commands/database/upgrade.ts')).upgrade,
    copy: async () => (await import('./commands/database/copy.ts')).copy,
  },
  'The interface and the shell:': {
    openapi: async () => (await import('./commands/service/openapi.ts')).openapi,
    completion: async () => (await import('./commands/service/completion.ts')).completion(() => toProgram()),
  },
}

const program = await toProgram(process.argv[2])
prepare(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error)
  else if (error.code === VERSION_ASKED) await print(`${about()}\n`).catch(fail)
  else process.exitCode = error.exitCode === 0 ? 0 : 2
}

/** With the named command alone, if there is one of this name; otherwise with all. */
async function toProgram(named = ''): Promise<Command> {
  const program = new Command(COMMAND)
    .description('The pet adoption service and what its operator needs.')
    .option('-V, --version', 'print the version, the commit it was made from, and the version of node')
    .option('--quiet', 'print results and what went wrong, and no hints and no progress')
    .on('option:version', () => {
      throw new CommanderError(0, VERSION_ASKED, '')
    })
  const isThere = Object.values(GROUPS).some((commands) => Object.hasOwn(commands, named))
  for (const [heading, commands] of Object.entries(GROUPS)) {
    for (const [name, load] of Object.entries(commands)) {
      if (!isThere || name === named) program.addCommand((await load()).helpGroup(heading))
    }
  }
  const help = new Command('help').argument('[command]').description('Explain a command.')
  program.addHelpCommand(help.helpGroup(Object.keys(GROUPS).at(-1) ?? ''))
  return program.hook('preAction', async (_program, command) => {
    beQuiet(program.opts().quiet === true)
    // The service tells it in its log.
    if (command.name() === 'serve' || !Object.keys(process.env).some((name) => name.startsWith('PETS_'))) return
    const { mistypedVariables } = await import('./mistyped.ts')
    for (const sentence of mistypedVariables()) note(`${sentence}\n`)
  })
}

/** A reader that has closed the pipe (`pets keys list | head`) is not a failure. */
function fail(error: unknown): void {
  if (error instanceof OutputClosed) return
  note(`${textOf(error)}\n`)
  process.exitCode = error instanceof ExplainedError ? error.exitCode : 1
}

/** Commander throws instead of exiting, and its own texts name the command as the others do. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => process.stdout.write(asTyped(text)),
    writeErr: note,
  })
  for (const subcommand of command.commands) prepare(subcommand)
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof ExplainedError ? error.message : (error.stack ?? error.message)
}
