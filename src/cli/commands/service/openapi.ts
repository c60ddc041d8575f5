/** `pets openapi`: prints the OpenAPI document, for people who want it in a file or a tool. */
import { Command } from 'commander'
import { openApiDocument } from '../../../contract/openapi.ts'
import { examples } from '../../examples.ts'
import { option, publicUrl } from '../../options.ts'
import { print } from '../../output.ts'

export const openapi: Command = new Command('openapi')
  .description('Print the OpenAPI document of the interface.')
  .addHelpText('after', examples('pets openapi > openapi.json'))
  .addOption(option('--public-url <url>', 'base address that the document gives for production').argParser(publicUrl))
  .action(async ({ publicUrl }: { publicUrl?: string }) => {
    await print(`${JSON.stringify(openApiDocument({ servers: { base_url: publicUrl } }), null, 2)}\n`)
  })
