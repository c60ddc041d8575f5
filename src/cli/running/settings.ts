/** The settings of the service of this machine, for commands that ask about it: from the variables and `--config`. */
import { Command } from 'commander'
import { note } from '../output.ts'
import { type ServeOptions, withServeOptions } from '../serve/options.ts'
import { applySettings } from '../settings.ts'

/** Throws CommanderError where a setting is invalid, as `pets serve` does. */
export function settingsOfService(config: string | undefined): ServeOptions {
  const serve = withServeOptions(new Command('serve'))
    .exitOverride()
    .configureOutput({ writeErr: note })
    .hook('preAction', (command) => applySettings(command))
    .action(() => {})
  serve.parse(config === undefined ? [] : ['--config', config], { from: 'user' })
  return serve.opts<ServeOptions>()
}
