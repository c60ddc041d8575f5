/** Scalar’s page for the OpenAPI document, configured to make no requests to other hosts. */

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})
