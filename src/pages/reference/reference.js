/**
 * Scalar’s page for the OpenAPI document, configured to make no requests to other hosts. Its quiet texts and its colours of
 * methods have too little contrast (3.2 to 4.4 where 4.5 is needed); colours can be set. What cannot be: its buttons that copy
 * the name of a member have no name themselves.
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
`

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
