/** Checks whether `pets serve` could start, without starting it. */
import type { Command } from 'commander'
import pino from 'pino'
import { checkStart } from '../../service/check.ts'
import type { ServiceConfig } from '../../service/service.ts'
import type { Cli } from '../cli.ts'
import { toConfig } from './config.ts'
import type { ServeOptions } from './options.ts'
import { explainStartFailure } from './start-failure.ts'
import { isSocketActive } from './systemd.ts'

/** Throws what the start would throw. */
export async function assertStarts(cli: Cli, serve: Command, settings: ServeOptions): Promise<ServiceConfig> {
  const isNamed = serve.getOptionValueSource('database') !== 'default'
  const config = toConfig(cli, settings, pino({ level: 'silent' }), isNamed)
  await checkStart(config, isSocketActive()).catch((error: unknown) => {
    throw explainStartFailure(error, config)
  })
  return config
}
