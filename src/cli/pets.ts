#!/usr/bin/env node
/**
 * The `pets` command: finds the subcommand and loads only that one, so that the service starts fast. Exits 2 on wrong
 * usage and 1 on a failure, each with one sentence on stderr.
 */
import { Command, CommanderError } from 'commander'
import { about } from '../version.ts'
import { asTyped, COMMAND } from './command-name.ts'
import { keepCompiledCode } from './compile-cache.js'
import { note, OutputClosed, print, watchOutput } from './output.ts'

keepCompiledCode()
watchOutput(fail)

/** Names of the errors of wrong usage. */
const MISTAKES = ['UsageMistake', 'WrongAddress']

const VERSION_ASKED = 'pets.version'

const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  keys: async () => (await import('./keys.ts')).keys,
  people: async () => (await import('./people.ts')).people,
  import: async () => (await import('./import.ts')).importPets,
  imports: async () => (await import('./imports.ts')).imports,
  export: async () => (await import('./export.ts')).exportPets,
  'set-status': async () => (await import('./set-status.ts')).setStatus,
  find: async () => (await import('./find.ts')).find,
  show: async () => (await import('./find.ts')).show,
  edit: async () => (await import('./correct.ts')).edit,
  remove: async () => (await import('./correct.ts')).remove,
  'restore-animal': async () => (await import('./correct.ts')).restoreAnimal,
  journal: async () => (await import('./journal.ts')).journal,
  categories: async () => (await import('./categories.ts')).categories,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
  verify: async () => (await import('./backup.ts')).verify,
  copy: async () => (await import('./copy.ts')).copy,
  check: async () => (await import('./check.ts')).check,
  openapi: async () => (await import('./openapi.ts')).openapi,
  completion: async () => (await import('./completion.ts')).completion(() => toProgram(Object.values(COMMANDS))),
}

const named = COMMANDS[process.argv[2] ?? '']
const program = await toProgram(named === undefined ? Object.values(COMMANDS) : [named])
prepare(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error)
  else if (error.code === VERSION_ASKED) await print(`${about()}\n`).catch(fail)
  else process.exitCode = error.exitCode === 0 ? 0 : 2
}

async function toProgram(commands: readonly (() => Promise<Command>)[]): Promise<Command> {
  const program = new Command(COMMAND)
    .description('The pet adoption service and what its operator needs.')
    .option('-V, --version', 'print the version, the commit it was made from, and the version of node')
    .on('option:version', () => {
      throw new CommanderError(0, VERSION_ASKED, '')
    })
  for (const load of commands) program.addCommand(await load())
  return program
}

/** A reader that has closed the pipe (`pets keys list | head`) is not a failure. */
function fail(error: unknown): void {
  if (error instanceof OutputClosed) return
  note(`${describe(error)}\n`)
  process.exitCode = error instanceof Error && MISTAKES.includes(error.name) ? 2 : 1
}

/** Commander throws instead of exiting, and its own texts name the command as the others do. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => process.stdout.write(asTyped(text)),
    writeErr: note,
  })
  for (const subcommand of command.commands) prepare(subcommand)
}

/** Errors thrown on purpose are printed as a sentence; any other error is a bug, and its stack is printed. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOurs = [...MISTAKES, 'StoreUnusable', 'StoreUnavailable', 'UnreadableFile', 'CommandFailed'].includes(
    error.name,
  )
  return isOurs ? error.message : (error.stack ?? error.message)
}
