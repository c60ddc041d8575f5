/**
 * Scalar's page for the OpenAPI document, configured to call no other host. The styles set here raise the contrast of
 * its quiet texts and of methods, which is 3.2 to 4.4 where 4.5 is needed, and let its link to the document wrap, as
 * large text on a phone needs. What its elements do not say of themselves is in mend.ts.
 */

import { keepMended } from './mend.ts'

const COLOURS = `
  .light-mode {
    --scalar-color-2: #666;
    --scalar-color-3: #6b6b6b;
    --scalar-color-blue: #0069ab;
    --scalar-color-green: #00764a;
    --scalar-color-red: #c40000;
    --scalar-color-orange: #a84300;
  }
  .dark-mode {
    --scalar-color-3: #8f8f8f;
  }
  .download-container,
  .download-container * {
    flex-wrap: wrap;
    white-space: normal;
  }
`

/** From Scalar's script, which is loaded before. */
declare const Scalar: { createApiReference(selector: string, options: object): void }

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  customCss: COLOURS,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})

keepMended(document.body)
