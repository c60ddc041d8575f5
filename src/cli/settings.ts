/** Reads settings: an option overrides a variable (unless empty), which overrides the settings file, then the default. */
import { isUtf8 } from 'node:buffer'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Help, type Option } from 'commander'
import { whyUnreadable } from '../common/paths.ts'
import { databaseFile } from '../store/open.ts'
import type { Cli } from './cli.ts'
import { BOOLEAN_RULE, CommandFailed, DEFAULT_DATABASE, parseBoolean, Setting, variableOf } from './options.ts'
import { REMOVED_SETTINGS, type RemovedSetting, removedSetting } from './removed.ts'
import { addServeOptions, resolveOptions, type ServeOptions } from './serve/options.ts'

const FILE = 'pets.conf'

interface AppliedSettings {
  readonly file: string | undefined
  readonly removed: readonly RemovedSetting[]
}

/** Sets the options of a command. Exits 2 if a setting is invalid. */
export function applySettings(cli: Cli, command: Command): AppliedSettings {
  const settings = settingsOf(command)
  const removed = REMOVED_SETTINGS.flatMap((name) => {
    const variable = variableOf(name)
    const value = cli.io.env[variable] ?? ''
    return value === '' ? [] : (removedSetting(name, value, `The variable ${variable}`) ?? [])
  })
  for (const option of settings) {
    const where = variableOf(option.name())
    const text = cli.io.env[where]
    // A variable is not parsed if an option overrides it.
    const isOverridden = command.getOptionValueSource(option.attributeName()) === 'cli'
    if (text === undefined || text === '' || isOverridden) continue
    setUnlessOverridden(command, option, text, parseValue(command, option, text, where), 'env')
  }
  const file = settings.length === 0 ? undefined : settingsFile(cli, command)
  if (file === undefined) return { file, removed }
  const seen = new Set<string>()
  // Every line is checked, although a command uses only the settings that it has options for.
  const options = settingsOf(addServeOptions(new Command()))
  for (const { name, value, line } of readConfig(cli, command, file)) {
    const gone = removedSetting(name, value, `The setting ${name} in line ${line} of ${file}`)
    if (gone !== undefined) {
      removed.push(gone)
      continue
    }
    const option = options.find((option) => option.name() === name)
    if (option === undefined) command.error(`error: line ${line} of ${file}: ${name} is not a setting.`)
    if (seen.has(name)) command.error(`error: line ${line} of ${file}: ${name} is set twice.`)
    seen.add(name)
    const where = `line ${line} of ${file}: ${name}`
    const checked = parseValue(command, option, value, where)
    const own = settings.find((setting) => setting.name() === name)
    if (own !== undefined) setUnlessOverridden(command, own, value, checked, 'config')
  }
  return { file, removed }
}

/** Throws CommandFailed if this user cannot read the machine's file and the command needs it. */
function settingsFile(cli: Cli, command: Command): string | undefined {
  const named = cli.config ?? cli.io.env.PETS_CONFIG
  if (named) return named
  const database = String(command.getOptionValue('database') ?? DEFAULT_DATABASE)
  const path = database === DEFAULT_DATABASE ? cli.defaultFile : databaseFile(cli.databaseUrl(database))
  const beside = path === undefined ? undefined : join(dirname(path), FILE)
  if (beside !== undefined && existsSync(beside)) return beside
  const { machineSettings = '/etc/pets.conf' } = cli.io
  if (!existsSync(machineSettings)) return undefined
  try {
    accessSync(machineSettings, constants.R_OK)
    return machineSettings
  } catch {
    const source = command.getOptionValueSource('database')
    if (source === 'cli' || source === 'env') return undefined
    const instead = 'Run this as the user of the service, or name the database with --database'
    throw new CommandFailed(`This user cannot read the settings in ${machineSettings}. ${instead}.`)
  }
}

/** `--no-…` belongs to the setting of its positive form. */
function settingsOf(command: Command): readonly Setting[] {
  return command.options.filter((option) => option instanceof Setting).filter(({ negate }) => !negate)
}

function parseValue(command: Command, option: Option, text: string, where: string): unknown {
  if (option.isBoolean()) return parseBoolean(text) ?? command.error(`error: ${where} ${BOOLEAN_RULE}.`)
  try {
    return option.parseArg === undefined ? text : option.parseArg(text, undefined)
  } catch (error) {
    command.error(`error: ${where} is invalid. ${error instanceof Error ? error.message : String(error)}`)
  }
}

function setUnlessOverridden(
  command: Command,
  option: Setting,
  text: string,
  value: unknown,
  source: 'env' | 'config',
): void {
  const setBy = command.getOptionValueSource(option.attributeName())
  if (setBy === 'cli' || setBy === 'env') return
  option.text = text
  command.setOptionValueWithSource(option.attributeName(), value, source)
}

function readConfig(cli: Cli, command: Command, file: string) {
  let bytes: Buffer
  try {
    bytes = readFileSync(cli.path(file))
  } catch (error) {
    command.error(`error: the settings file ${file} cannot be read: ${whyUnreadable(error, cli.path(file))}.`)
  }
  if (!isUtf8(bytes)) command.error(`error: the settings file ${file} is not UTF-8. Save it as UTF-8.`)
  return bytes
    .toString()
    .split(/\r?\n/)
    .flatMap((text, index) => {
      if (/^\s*(#|$)/.test(text)) return []
      const line = index + 1
      const wrong = (what: string) => command.error(`error: line ${line} of ${file}${what}.`)
      const [, name, rawValue] = /^\s*([a-z-]+)\s*=(.*)$/.exec(text) ?? []
      if (name === undefined || rawValue === undefined)
        return wrong(' must be written as name = value, such as port = 8080')
      const value = rawValue.trim()
      if (/^(["']).*\1$/.test(value)) wrong(`: write ${name} without the quotes`)
      if (/\s#/.test(value)) wrong(`: put the comment on a line of its own; here it would become part of ${name}`)
      return [{ name, value, line }]
    })
}

/** Throws CommanderError if a setting is invalid, as `pets serve` does. */
export function serviceSettings(cli: Cli): ServeOptions {
  return resolveOptions(parseServeSettings(cli).serve.opts())
}

/** `pets serve` with the settings of this machine and these flags. */
export function parseServeSettings(cli: Cli, flags: readonly string[] = []) {
  let applied: AppliedSettings = { file: undefined, removed: [] }
  const serve = addServeOptions(new Command('serve'))
    .exitOverride()
    .configureOutput({ writeErr: (text) => cli.warn(text) })
    .hook('preAction', (command) => {
      applied = applySettings(cli, command)
    })
    .action(() => {})
  serve.parse(flags, { from: 'user' })
  return { serve, ...applied }
}

export class SettingsHelp extends Help {
  override optionDescription(option: Option): string {
    if (!(option instanceof Setting) || option.negate) return super.optionDescription(option)
    const variable = variableOf(option.name())
    // Commander shows no variable for switches.
    if (option.isBoolean()) return `${option.description} (env: ${variable})`
    return super.optionDescription(Object.create(option, { envVar: { value: variable } }))
  }
}
