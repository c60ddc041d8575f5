/**
 * The sources of the settings of `pets serve`. A flag takes precedence, then the environment, then the file of
 * `--config`, then the default. Commander reads variables with a value; this file reads switches and the config file.
 */
import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { variableOf } from './options.ts'

const ON = ['1', 'true', 'yes', 'on']
const OFF = ['0', 'false', 'no', 'off']
const SWITCH_RULE = `must be one of ${ON.join(', ')}, or one of ${OFF.join(', ')}`

/** Ends the command with exit code 2 if a setting is invalid. */
export function applySettings(command: Command): void {
  const settable = command.options.filter((option) => !option.negate)
  for (const option of settable.filter((option) => option.isBoolean())) {
    const variable = variableOf(option)
    const text = process.env[variable]
    // As commander does with variables that have a value: it does not look at one that a flag overrides.
    const isOverridden = command.getOptionValueSource(option.attributeName()) === 'cli'
    if (text !== undefined && text !== '' && !isOverridden)
      apply(command, option, text, { source: 'env', where: variable })
  }
  const file = command.getOptionValue('config') as string | undefined
  if (file === undefined) return
  const seen = new Set<string>()
  for (const { name, value, line } of readConfig(command, file)) {
    const option = settable.find((option) => option.name() === name && name !== 'config')
    if (option === undefined) command.error(`error: line ${line} of ${file}: there is no setting ${name}.`)
    if (seen.has(name)) command.error(`error: line ${line} of ${file}: ${name} is set twice.`)
    seen.add(name)
    apply(command, option, value, { source: 'config', where: `line ${line} of ${file}: ${name}` })
  }
}

/** Always checks the text; sets the option only if nothing that takes precedence over `source` has set it. */
function apply(
  command: Command,
  option: Option,
  text: string,
  { source, where }: { readonly source: 'env' | 'config'; readonly where: string },
): void {
  let value: unknown
  if (option.isBoolean()) {
    const word = text.toLowerCase()
    if (!ON.includes(word) && !OFF.includes(word)) command.error(`error: ${where} ${SWITCH_RULE}.`)
    value = ON.includes(word)
  } else {
    try {
      value = option.parseArg === undefined ? text : option.parseArg(text, undefined)
    } catch (error) {
      command.error(`error: ${where} is invalid. ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const setBy = command.getOptionValueSource(option.attributeName())
  if (setBy !== 'cli' && setBy !== 'env') command.setOptionValueWithSource(option.attributeName(), value, source)
}

interface Entry {
  readonly name: string
  readonly value: string
  /** Counted from 1. */
  readonly line: number
}

/** One `name = value` per line, with the names of the options; blank lines and lines that begin with # are ignored. */
function readConfig(command: Command, file: string): readonly Entry[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    command.error(`error: the file ${file} given as --config cannot be read; check its path and permissions.`)
  }
  return text.split(/\r?\n/).flatMap((text, index) => {
    if (/^\s*(#|$)/.test(text)) return []
    const line = index + 1
    const [, name, value] = /^\s*([a-z-]+)\s*=\s*(.*?)\s*$/.exec(text) ?? []
    if (name === undefined || value === undefined) {
      command.error(`error: line ${line} of ${file} must be written as name = value, such as port = 8080.`)
    }
    return [{ name, value, line }]
  })
}
