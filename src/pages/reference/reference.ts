/**
 * Scalar's page for the OpenAPI document, configured to call no other host, in the typeface and the colours of the
 * office (assets/base.css), which change with the system's. The styles set here also make its controls large enough for
 * a finger (WCAG 2.5.8), and let its link to the document wrap, as large text on a phone needs. accessibility.ts adds
 * missing names and roles to its elements.
 */

import { keepAccessible } from './accessibility.ts'

const THEME = `
  .light-mode, .dark-mode {
    --scalar-font: "Inter", system-ui, sans-serif;
    --scalar-color-1: var(--ink);
    --scalar-color-2: var(--quiet);
    --scalar-color-3: var(--quiet);
    --scalar-color-accent: var(--accent);
    --scalar-link-color: var(--accent);
    --scalar-background-1: var(--surface);
    --scalar-background-2: var(--ground);
    --scalar-background-3: var(--tint);
    --scalar-background-accent: var(--tint);
    --scalar-border-color: var(--line);
    --scalar-button-1: var(--accent);
    --scalar-button-1-hover: var(--accent);
    --scalar-button-1-color: var(--accent-ink);
    --scalar-color-blue: var(--sold-ink);
    --scalar-color-green: var(--available-ink);
    --scalar-color-orange: var(--pending-ink);
    --scalar-color-yellow: var(--warm-ink);
    --scalar-color-red: var(--problem);
    --scalar-sidebar-background-1: var(--ground);
    --scalar-sidebar-color-1: var(--ink);
    --scalar-sidebar-color-2: var(--quiet);
    --scalar-sidebar-border-color: var(--line);
    --scalar-sidebar-item-hover-background: var(--tint);
    --scalar-sidebar-item-active-background: var(--tint);
    --scalar-sidebar-color-active: var(--accent);
    --scalar-sidebar-search-color: var(--quiet);
    --scalar-sidebar-search-border-color: var(--edge);
  }
  :is(button, [role="tab"], a.endpoint, .selected-content-type):not(.download-button) {
    min-width: 24px;
    min-height: 24px;
  }
  .hljs-keyword {
    color: var(--sold-ink) !important;
  }
  .download-container,
  .download-container * {
    flex-wrap: wrap;
    white-space: normal;
  }
`

/** Defined by Scalar's script, which is loaded before. */
declare const Scalar: { createApiReference(selector: string, options: object): void }

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  customCss: THEME,
  theme: 'none',
  hideDarkModeToggle: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})

keepAccessible(document.body)
