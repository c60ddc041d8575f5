/** `pets config`: an example of the settings file, and what holds on this machine. */
import { Command, type Option } from 'commander'
import { printableJson } from '../../../common/printable.ts'
import { describeUrl } from '../../../store/url.ts'
import type { Cli } from '../../cli.ts'
import { command, printRows } from '../../command.ts'
import { environmentVariable, Setting } from '../../options.ts'
import { addServeOptions, resolveOptions } from '../../serve/options.ts'
import { parseServeSettings } from '../../settings.ts'

const HEAD = `# Settings of the service and of all commands: /etc/pets.conf, or pets.conf beside the database, or the file of
# --config. A variable takes precedence over a line here, and a flag over both. Write paths from the root.
`

export function config(cli: Cli): Command {
  return command('config', 'Print an example of the settings file, or with --check what holds, and from where.', [
    'pets config > /etc/pets.conf',
    'pets config --check',
  ])
    .option('--check', 'print each setting that is not the default, and where it is from; exits 2 if one is wrong')
    .option('--json', 'with --check: one JSON object a line')
    .action(async ({ check, json }: { check?: true; json?: true }) => {
      const { options } = addServeOptions(new Command('serve'))
      const visible = options.filter(({ hidden, long }) => !hidden && long !== '--config')
      if (!check) return cli.print(`${HEAD}${visible.map(exampleOf).join('')}`)
      const { serve, file } = parseServeSettings(cli, cli.config)
      resolveOptions(serve.opts())
      cli.hint(file === undefined ? 'There is no file of settings.\n' : `The file of settings is ${file}\n`)
      return printRows(cli, {
        rows: serve.options.flatMap((option) => toRow(serve, option, file)),
        json,
        toJson: (row) => printableJson(row),
        headings: ['SETTING', 'VALUE', 'FROM'],
        cells: ({ setting, value, from }) => [setting, value, from],
        none: 'Every setting is the default.\n',
      })
    })
}

function exampleOf(option: Option): string {
  const usual = option.defaultValueDescription ?? option.defaultValue
  const example = usual ?? (option.isBoolean() ? 'no' : (/[<[](.+)[>\]]/.exec(option.flags)?.[1] ?? '').toUpperCase())
  return `\n# ${option.description}\n#${option.name()} = ${example}\n`
}

/** Passwords in addresses are not shown. */
function toRow(serve: Command, option: Option, file: string | undefined) {
  const text = option instanceof Setting ? option.text : undefined
  if (text === undefined) return []
  const isAddress = option.name() === 'database' || option.name() === 'counters'
  const from = serve.getOptionValueSource(option.attributeName()) === 'env' ? environmentVariable(option) : (file ?? '')
  return [{ setting: option.name(), value: isAddress ? describeUrl(text) : text, from }]
}
