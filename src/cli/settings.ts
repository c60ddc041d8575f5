/**
 * The sources of settings, of the service and of all commands: a flag takes precedence, then the environment, then the
 * settings file, then the default. An empty variable counts as not set.
 */
import { isUtf8 } from 'node:buffer'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Help, type Option } from 'commander'
import { whyUnreadable } from '../common/paths.ts'
import { databaseFile } from '../store/open.ts'
import type { Cli } from './cli.ts'
import { BOOLEAN_RULE, CommandFailed, DEFAULT_DATABASE, parseBoolean, Setting, variableOf } from './options.ts'
import { type RemovedSetting, removedSetting, removedSettingNames } from './removed.ts'
import { addServeOptions, resolveOptions, type ServeOptions } from './serve/options.ts'

const FILE = 'pets.conf'

interface AppliedSettings {
  /** Path of the settings file; undefined without one. */
  readonly file: string | undefined
  readonly removed: readonly RemovedSetting[]
}

/**
 * Sets the options of a command from environment and settings file. Ends the command with exit code 2 if a setting is
 * invalid.
 */
export function applySettings(cli: Cli, command: Command): AppliedSettings {
  const settings = settingsOf(command)
  const removed = removedSettingNames().flatMap((name) => {
    const variable = variableOf(name)
    const value = cli.io.env[variable] ?? ''
    return value === '' ? [] : (removedSetting(name, value, `The variable ${variable}`) ?? [])
  })
  for (const option of settings) {
    const where = variableOf(option.name())
    const text = cli.io.env[where]
    // The variable is not parsed if a flag overrides it.
    const isOverridden = command.getOptionValueSource(option.attributeName()) === 'cli'
    if (text === undefined || text === '' || isOverridden) continue
    setUnlessOverridden(command, option, text, parseValue(command, option, text, where), 'env')
  }
  const file = settings.length === 0 ? undefined : settingsFile(cli, command)
  if (file === undefined) return { file, removed }
  const seen = new Set<string>()
  // All commands share the file of the service: every line is checked, and a command uses those that it has options
  // for.
  const options = settingsOf(addServeOptions(new Command()))
  for (const { name, value, line } of readConfig(cli, command, file)) {
    const gone = removedSetting(name, value, `The setting ${name} in line ${line} of ${file}`)
    if (gone !== undefined) {
      removed.push(gone)
      continue
    }
    const option = options.find((option) => option.name() === name)
    if (option === undefined) command.error(`error: line ${line} of ${file}: there is no setting ${name}.`)
    if (seen.has(name)) command.error(`error: line ${line} of ${file}: ${name} is set twice.`)
    seen.add(name)
    const where = `line ${line} of ${file}: ${name}`
    const checked = parseValue(command, option, value, where)
    const own = settings.find((setting) => setting.name() === name)
    if (own !== undefined) setUnlessOverridden(command, own, value, checked, 'config')
  }
  return { file, removed }
}

/**
 * The file of `--config` or `PETS_CONFIG`; without it `pets.conf` beside the database, and without that the one of the
 * machine, if it is there. Throws CommandFailed if that one is not for this user to read, and the command needs it.
 */
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
    const instead = 'run it as the user of the service, or name the database with --database'
    throw new CommandFailed(`This user may not read the settings in ${machineSettings}; ${instead}.`)
  }
}

/** The options of a command that are settings. `--no-…` is the same setting as its positive form. */
function settingsOf(command: Command): readonly Setting[] {
  return command.options.filter((option) => option instanceof Setting).filter(({ negate }) => !negate)
}

/** `where` names the source of the text in error messages. */
function parseValue(command: Command, option: Option, text: string, where: string): unknown {
  if (option.isBoolean()) return parseBoolean(text) ?? command.error(`error: ${where} ${BOOLEAN_RULE}.`)
  try {
    return option.parseArg === undefined ? text : option.parseArg(text, undefined)
  } catch (error) {
    command.error(`error: ${where} is invalid. ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Keeps a value from a source with higher precedence. */
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

/** One `name = value` per line, with the names of the options; blank lines and lines that begin with # are ignored. */
function readConfig(cli: Cli, command: Command, file: string) {
  let bytes: Buffer
  try {
    bytes = readFileSync(cli.path(file))
  } catch (error) {
    const why = whyUnreadable(error, cli.path(file))
    command.error(`error: the settings file ${file} cannot be read: ${why}.`)
  }
  if (!isUtf8(bytes)) command.error(`error: the settings file ${file} is not UTF-8; save it as that.`)
  return bytes
    .toString()
    .split(/\r?\n/)
    .flatMap((text, index) => {
      if (/^\s*(#|$)/.test(text)) return []
      const line = index + 1
      const [, name, rawValue] = /^\s*([a-z-]+)\s*=(.*)$/.exec(text) ?? []
      if (name === undefined || rawValue === undefined) {
        command.error(`error: line ${line} of ${file} must be written as name = value, such as port = 8080.`)
      }
      const value = rawValue.trim()
      if (/^(["']).*\1$/.test(value)) command.error(`error: line ${line} of ${file}: write ${name} without the quotes.`)
      if (/\s#/.test(value)) {
        command.error(`error: line ${line} of ${file}: a comment has a line of its own; ${name} would end in it.`)
      }
      return [{ name, value, line }]
    })
}

/** The settings of the service of this machine. Throws CommanderError where one is invalid, as `pets serve` does. */
export function serviceSettings(cli: Cli): ServeOptions {
  return resolveOptions(parseServeSettings(cli).serve.opts())
}

/** `pets serve` with its settings on this machine and these flags, the path of the settings file, and removed settings. */
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

/** Help that names the variable of each setting. */
export class SettingsHelp extends Help {
  override optionDescription(option: Option): string {
    if (!(option instanceof Setting) || option.negate) return super.optionDescription(option)
    const variable = variableOf(option.name())
    // Commander names no variables of switches.
    if (option.isBoolean()) return `${option.description} (env: ${variable})`
    return super.optionDescription(Object.create(option, { envVar: { value: variable } }))
  }
}
