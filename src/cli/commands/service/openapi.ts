/** `pets openapi`: prints the OpenAPI document, for people who want it in a file or a tool. */
import type { Command } from 'commander'
import { openApiDocument } from '../../../contract/openapi.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { option, publicUrl } from '../../options.ts'

export function openapi(cli: Cli): Command {
  return command('openapi', 'Print the OpenAPI document of the interface.', ['pets openapi > openapi.json'])
    .addOption(option('--public-url <url>', 'base address of the service, which the document names first', publicUrl))
    .action(({ publicUrl }: { publicUrl?: string }) =>
      cli.print(`${JSON.stringify(openApiDocument({ publicUrl, atMs: cli.clock.now() }), null, 2)}\n`),
    )
}
