/**
 * `pets completion`: prints shell completion for the names of commands and options, and for the values of options with
 * a choice. It is generated from the commands themselves. Everything else is completed as a file name by the shell.
 */
import { basename } from 'node:path'
import type { Command } from 'commander'
import { command, type MakeCommand } from '../../command.ts'
import { COMMAND } from '../../command-name.ts'
import { Argument } from '../../options.ts'

/** Shells look completions up by base name, also for a command typed with its folder. */
const NAME = basename(COMMAND)
/** The name as part of a function's name. */
const WORD = NAME.replaceAll(/\W/g, '_')

const SHELLS = { bash, zsh, fish }

/** `load` loads all commands; it is called only when this command runs. */
export const completion = (load: () => Promise<Command>): MakeCommand =>
  command({
    about: 'Print the completion for a shell.',
    examples: ['pets completion bash > /etc/bash_completion.d/pets'],
    takes: (command) => command.addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish'])),
    database: false,
    action: async (_run, shell) => SHELLS[shell](placesOf(await load(), NAME)),
  })

interface CompletionWord {
  readonly word: string
  readonly about: string
}

/** The words that may follow one command. */
interface CommandWords {
  /** The command with its parents, such as `pets keys create`. */
  readonly path: string
  readonly commands: readonly CompletionWord[]
  /** `values` is undefined for a switch, and empty if any text may follow. */
  readonly options: readonly (CompletionWord & { readonly values: readonly string[] | undefined })[]
}

function placesOf(command: Command, path: string): readonly CommandWords[] {
  const options = command.options
    .filter((option) => !option.hidden)
    .map((option) => ({
      word: option.long ?? '',
      about: option.description,
      values: option.isBoolean() ? undefined : (option.argChoices ?? []),
    }))
  const help = { word: '--help', about: 'Explain the command.', values: undefined }
  const commands = command.commands.map((one) => ({ word: one.name(), about: one.description() }))
  const place = { path, commands, options: [...options, help] }
  return [place, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))]
}

/** The branches of a shell's `case` on the option before the cursor, for options that take a value. */
function valueArms(places: readonly CommandWords[], arm: (at: string, values: readonly string[]) => string): string {
  return places
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values }) => (values === undefined ? [] : [arm(`"${path} ${word}"`, values)])),
    )
    .join('\n')
}

function pathsBelow(places: readonly CommandWords[]): string {
  return places
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join('|')
}

function bash(places: readonly CommandWords[]): string {
  const words = ({ commands, options }: CommandWords) => [...commands, ...options].map(({ word }) => word).join(' ')
  return `_${WORD}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=${NAME} word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${pathsBelow(places)}) at="$at $word" ;; esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${valueArms(places, (at, values) => `    ${at}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$cur")); return ;;`)}
  esac
  case "$at" in
${places.map((place) => `    "${place.path}") COMPREPLY=($(compgen -W "${words(place)}" -- "$cur")) ;;`).join('\n')}
  esac
}
complete -o default -F _${WORD} ${NAME}
`
}

function zsh(places: readonly CommandWords[]): string {
  const entry = ({ word, about }: CompletionWord) => quoted(`${word}:${about.replaceAll(':', '\\:')}`)
  const entries = ({ commands, options }: CommandWords) => [...commands, ...options].map(entry).join(' ')
  return `#compdef ${NAME}
_${WORD}() {
  local at=${NAME} word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${pathsBelow(places)}) at="$at $word" ;; esac
  done
  case "$at $words[CURRENT-1]" in
${valueArms(places, (at, values) => `    (${at}) ${values.length > 0 ? `compadd -- ${values.join(' ')}` : '_files'}; return ;;`)}
  esac
  case "$at" in
${places.map((place) => `    ("${place.path}") found=(${entries(place)}) ;;`).join('\n')}
  esac
  _describe '${NAME}' found || _files
}
compdef _${WORD} ${NAME}
`
}

function fish(places: readonly CommandWords[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `complete -c ${NAME} -n '__${WORD}_at "${path}"'`
    return [
      ...commands.map(({ word, about }) => `${here} -f -a ${word} -d ${quoted(about)}`),
      ...options.map(({ word, about, values }) => {
        const value = values === undefined ? '' : values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r'
        return `${here} -l ${word.slice(2)}${value} -d ${quoted(about)}`
      }),
    ]
  })
  return `function __${WORD}_at
  set -l at ${NAME}
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${pathsBelow(places).replaceAll('|', ' ')}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}
