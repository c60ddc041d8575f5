/** `pets openapi`: prints the OpenAPI document. */
import { openApiDocument } from '../../../contract/openapi.ts'
import { command } from '../../command.ts'
import { option, publicUrl } from '../../options.ts'

export const openapi = command({
  about: 'Print the OpenAPI document of the API.',
  examples: ['pets openapi > openapi.json'],
  takes: (command) =>
    command.addOption(option('--public-url <url>', 'base address of the API to name in the document', publicUrl)),
  database: false,
  action: ({ cli }, { publicUrl }) =>
    `${JSON.stringify(openApiDocument({ publicUrl, atMs: cli.clock.now() }), null, 2)}\n`,
})
