/** `pets health`: whether the service is ready, for probes and for people. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, option } from '../../options.ts'
import { askReadiness, type OperatorPort, operatorPortOf } from '../../running/readiness.ts'
import { settingsOfService } from '../../settings.ts'

interface Options {
  readonly url?: string
  readonly ca?: string
  readonly config?: string
}

export function health(cli: Cli): Command {
  return command(
    'health',
    'Ask the operator port whether the service is ready: exits 0 when it is, and 1 with the reason.',
    ['pets health', 'pets health --url https://pets.example:8081 --ca ca.pem'],
  )
    .option('--url <url>', 'the operator port (default: that of the settings, on this machine)', address)
    .option('--ca <file>', 'with --url https://…: the certificates that may have signed its own, PEM')
    .addOption(option('--config <file>', 'the settings of the service'))
    .action(async (options: Options) => {
      const { isReady, sentence } = await askReadiness(operatorPort(cli, options), cli.clock)
      if (!isReady) throw new CommandFailed(sentence)
      await cli.print(`${sentence}\n`)
    })
}

function operatorPort(cli: Cli, { url, ca, config }: Options): OperatorPort {
  if (url === undefined) return operatorPortOf(settingsOfService(cli, config))
  return { url, ca: ca === undefined ? undefined : certificates(cli, ca), isChecked: true }
}

function certificates(cli: Cli, file: string): Buffer {
  try {
    return readFileSync(cli.path(file))
  } catch {
    throw new CommandFailed(`The file ${file} given as --ca cannot be read; check its path and permissions.`)
  }
}

function address(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new InvalidArgumentError('It must be an address without a path, such as http://127.0.0.1:8081.')
}
