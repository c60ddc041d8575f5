/** `pets config`: an example settings file, or the settings in effect. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command, type Option } from 'commander'
import { isThere } from '../../../common/paths.ts'
import { describeUrl } from '../../../common/url.ts'
import { databaseFile } from '../../../store/open.ts'
import { command, rowsOf } from '../../command.ts'
import { Setting, variableOf } from '../../options.ts'
import { addServeOptions, resolveOptions } from '../../serve/options.ts'
import { parseServeSettings } from '../../settings.ts'

const HEAD = `# Settings of the service and of all commands, in /etc/pets.conf, in pets.conf next to the database, or in the file given
# with --config. A variable overrides a line here, and an option overrides both. Write absolute paths.
`

export const config = command({
  about: 'Print an example settings file or, with --check, the settings in effect and their sources.',
  examples: ['pets config > /etc/pets.conf', 'pets config --check --create'],
  takes: (command) =>
    command
      .option('--check', 'print each setting that is not the default, its source, and why the service could not start')
      .option('--create', 'with --check: check as for `pets serve --create`, which the container image runs'),
  database: false,
  json: 'with --check: output as JSON, one object a line',
  async action({ cli, show }, { check, create }) {
    const { options } = addServeOptions(new Command('serve'))
    const examples = options.filter(({ hidden }) => !hidden).map(exampleOf)
    if (!check) return `${HEAD}${examples.join('')}`
    const { serve, file, removed } = parseServeSettings(cli)
    const settings = resolveOptions(serve.opts())
    cli.hint(file === undefined ? 'There is no settings file.\n' : `The settings file is ${file}\n`)
    for (const { sentence } of removed) cli.warn(`${sentence}\n`)
    const rows = rowsOf({
      rows: serve.options.flatMap((option) => toRow(serve, option, file)),
      toJson: (row) => row,
      columns: { SETTING: 'setting', VALUE: 'value', FROM: 'from' },
      none: 'Every setting is the default.\n',
    })
    await show(rows)
    const { assertStarts } = await import('../../serve/check.ts')
    const config = await assertStarts(cli, serve, { ...settings, ...(create && { create }) })
    const owner = ownerOf(databaseFile(config.database))
    if (process.getuid?.() === 0 && owner !== 0) {
      cli.warn(`You ran this check as root, which has more permissions than the service. Run it as user ${owner}.\n`)
    }
  },
})

/** The user who owns the database, or the folder in which it will be created. */
function ownerOf(file: string | undefined): number {
  if (file === undefined) return 0
  const existing = [file, dirname(file)].find((path) => isThere(path))
  return existing === undefined ? 0 : statSync(existing).uid
}

function exampleOf(option: Option): string {
  const usual = option.defaultValueDescription ?? option.defaultValue
  const example = usual ?? (option.isBoolean() ? 'no' : (/[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? '').toUpperCase())
  return `\n# ${option.description}\n#${option.name()} = ${example}\n`
}

/** Passwords in addresses are not shown. */
function toRow(serve: Command, option: Option, file: string | undefined) {
  const text = option instanceof Setting ? option.text : undefined
  if (text === undefined) return []
  const isAddress = option.name() === 'database' || option.name() === 'counters'
  const from = serve.getOptionValueSource(option.attributeName()) === 'env' ? variableOf(option.name()) : (file ?? '')
  return [{ setting: option.name(), value: isAddress ? describeUrl(text) : text, from }]
}
