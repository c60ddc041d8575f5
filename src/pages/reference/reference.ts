/**
 * Scalar’s page for the OpenAPI document, configured to make no requests to other hosts. Its quiet texts and its
 * colours of methods have too little contrast (3.2 to 4.4 where 4.5 is needed); colours can be set. What cannot be: its
 * buttons that copy the name of a member have no name themselves. Its link to the document does not wrap, which large
 * text needs on a phone.
 */

const COLOURS = `
  .light-mode {
    --scalar-color-2: #666;
    --scalar-color-3: #6b6b6b;
    --scalar-color-blue: #0069ab;
    --scalar-color-green: #00764a;
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

/** Of Scalar’s script, which is loaded before. */
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
