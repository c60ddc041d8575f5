#!/usr/bin/env node
/**
 * The `pets` command: finds the subcommand and loads only that one, so that starting the service does not wait for the
 * rest. A mistake in usage exits 2, a failure 1, each with one sentence on stderr.
 */
import { enableCompileCache } from 'node:module'
import { Command, CommanderError } from 'commander'
import { about } from '../version.ts'

enableCompileCache()

const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  keys: async () => (await import('./keys.ts')).keys,
  import: async () => (await import('./import.ts')).importPets,
  export: async () => (await import('./export.ts')).exportPets,
  'set-status': async () => (await import('./set-status.ts')).setStatus,
  copy: async () => (await import('./copy.ts')).copy,
  check: async () => (await import('./check.ts')).check,
  openapi: async () => (await import('./openapi.ts')).openapi,
}

const program = new Command('pets')
  .description('The pet adoption service and what its operator needs.')
  .option('-V, --version', 'print the version, the commit it was made from, and the version of node')
  .on('option:version', () => {
    process.stdout.write(`${about()}\n`)
    process.exit()
  })
const named = COMMANDS[process.argv[2] ?? '']
for (const load of named === undefined ? Object.values(COMMANDS) : [named]) program.addCommand(await load())
throwInsteadOfExiting(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else {
    process.stderr.write(`${describe(error)}\n`)
    process.exitCode = 1
  }
}

function throwInsteadOfExiting(command: Command): void {
  command.exitOverride()
  for (const subcommand of command.commands) throwInsteadOfExiting(subcommand)
}

/** What we throw on purpose reads as a sentence; anything else is a fault, and its stack is what helps. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOurs = ['StoreUnusable', 'StoreUnavailable', 'CommandFailed'].includes(error.name)
  return isOurs ? error.message : (error.stack ?? error.message)
}
