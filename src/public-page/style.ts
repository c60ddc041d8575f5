/** The look of the page: light and dark, on phones, in frames and on paper. */
import { PetStatus } from '../contract/schemas.ts'
import { GENERATOR } from './folder.ts'

/** Light and dark. A website around the frame can set these custom properties. */
const COLOURS_OF = {
  ground: ['#f6f4ef', '#131816'],
  surface: ['#fffefb', '#1b2220'],
  line: ['#d8d3c6', '#3a4540'],
  ink: ['#23302c', '#e7ece9'],
  quiet: ['#5c6964', '#9fada7'],
  accent: ['#1f6f5c', '#74cbb0'],
  'on-accent': ['#fffefb', '#10201b'],
  available: ['#dcf0e3', '#1c3a2a'],
  'available-ink': ['#17603a', '#97e0b5'],
  pending: ['#fbebc4', '#3d3113'],
  'pending-ink': ['#744c00', '#f0cf83'],
  sold: ['#e6e3f3', '#2e2a4a'],
  'sold-ink': ['#4c4187', '#c4bbf5'],
} as const
export const COLOURS = Object.keys(COLOURS_OF).map((name) => `--pets-${name}`)
const [LIGHT, DARK] = [0, 1].map((n) =>
  Object.values(COLOURS_OF)
    .map((pair, at) => `${COLOURS[at]}: ${pair[n]};`)
    .join(' '),
)

export const STYLE = `/* ${GENERATOR} */
:root { color-scheme: light dark; ${LIGHT} }
:root.pets-light { color-scheme: light; }
@media screen and (prefers-color-scheme: dark) {
  :root:not(.pets-light) { ${DARK} }
}
* { box-sizing: border-box; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem min(1.5rem, 5vw) 2rem; background: var(--pets-ground); color: var(--pets-ink); font: 1rem / 1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
.pets-framed, .pets-framed body { background: none; } .pets-framed body { max-width: none; padding: 0; }
.pets-framed :is(.pets-shelter, .pets-list h1, .pets-ways, footer) { display: none; }
h1 { margin: 0; font-size: max(1.25rem, min(2rem, 7vw)); line-height: 1.2; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0; } a { color: var(--pets-accent); }
a:focus-visible { outline: 3px solid var(--pets-accent); outline-offset: 2px; }
.pets-shelter { color: var(--pets-quiet); font-size: 0.875rem; }
nav ul, #pets-found { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; padding: 0; list-style-type: ""; }
[hidden] { display: none !important; }
nav a, #pets-found a { display: inline-block; padding: 0.625rem 0; } nav [aria-current] { color: inherit; font-weight: 700; text-decoration: none; }
main nav { margin-top: 1.5rem; }
#pets-gone { margin: 0.5rem 0; padding: 0.75rem 1rem; border-radius: 0.75rem; background: var(--pets-pending); color: var(--pets-pending-ink); }
#pets-search input { width: min(24rem, 100%); min-height: 44px; padding: 0.5rem 0.75rem; border: 1px solid var(--pets-quiet); border-radius: 0.625rem; background: var(--pets-surface); color: inherit; font: inherit; }
#pets-search input::placeholder { color: var(--pets-quiet); opacity: 1; }
header { margin-bottom: 0.75rem; }
.pets-ways { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; margin-top: 0.5rem; font-style: normal; }
.pets-act { display: inline-flex; align-items: center; gap: 0.35em; min-height: 44px; padding: 0.25rem 1rem; border: 1px solid var(--pets-accent); border-radius: 0.625rem; text-decoration: none; }
.pets-act:first-child { background: var(--pets-accent); color: var(--pets-on-accent); font-weight: 600; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--pets-line); }
.pets-contact { font-style: normal; } .pets-contact .pets-ways { margin-top: 0.75rem; }
.pets-animals { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0.75rem; margin: 0; padding: 0; list-style-type: ""; }
.pets-animal { position: relative; padding: 0.875rem 1rem; border: 1px solid var(--pets-line); border-radius: 0.75rem; background: var(--pets-surface); }
.pets-animal:target { outline: 3px solid var(--pets-accent); } .pets-name { font-size: 1.125rem; font-weight: 600; line-height: 1.3; }
.pets-name a { color: inherit; text-decoration: none; } .pets-name a::after { content: ""; position: absolute; inset: 0; border-radius: 0.75rem; }
.pets-name a:hover { text-decoration: underline; }
.pets-name a:focus-visible { outline: none; }
.pets-name a:focus-visible::after { outline: 3px solid var(--pets-accent); outline-offset: 2px; }
.pets-photo { display: block; width: 100%; aspect-ratio: 4 / 3; margin-bottom: 0.75rem; border-radius: 0.5rem; object-fit: cover; background: var(--pets-ground); }
.pets-facts { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.125rem 0.75rem; margin-top: 0.25rem; color: var(--pets-quiet); font-size: 0.9375rem; }
.pets-status, .pets-new { padding: 0 0.625rem; border-radius: 1rem; font-size: 0.875rem; } .pets-new { background: var(--pets-accent); color: var(--pets-on-accent); }
${PetStatus.enum.map((status) => `.pets-${status} { background: var(--pets-${status}); color: var(--pets-${status}-ink); }\n`).join('')}.pets-one :is(header, main) { max-width: 48rem; } .pets-one main > .pets-photo { max-width: 40rem; margin-top: 1rem; }
dl.pets-facts { display: grid; gap: 0.5rem; margin: 1rem 0 0; color: inherit; font-size: 1rem; } dl.pets-facts div { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
dt { min-width: 8.5rem; color: var(--pets-quiet); } dd { margin: 0; }
@media (max-width: 40rem) {
  .pets-kinds ul { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; }
  header .pets-act { padding-inline: 0.75rem; }
}
@media print {
  :root { --pets-ground: #fff; --pets-surface: #fff; --pets-line: #555; --pets-ink: #000; --pets-quiet: #000; --pets-accent: #000; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav, #pets-search, #pets-found, #pets-gone, header .pets-ways { display: none; }
  a, .pets-act, .pets-act:first-child { padding: 0; border: 0; background: none; color: #000; text-decoration: none; }
  .pets-act[href^=http]::after { content: ": " attr(href); }
  .pets-animal { break-inside: avoid; }
  .pets-status, .pets-new { padding: 0; background: none; color: #000; font-size: 11pt; }
}
`

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><!-- ${GENERATOR} --><rect width="32" height="32" rx="7" fill="${COLOURS_OF.accent[0]}"/><g fill="${COLOURS_OF.surface[0]}"><ellipse cx="8" cy="14" rx="2.6" ry="3.4"/><ellipse cx="13" cy="9" rx="2.6" ry="3.6"/><ellipse cx="19" cy="9" rx="2.6" ry="3.6"/><ellipse cx="24" cy="14" rx="2.6" ry="3.4"/><path d="M16 14c-4 0-7 5-7 8a3.5 3.5 0 0 0 4 3.5c1-.2 2-.5 3-.5s2 .3 3 .5a3.5 3.5 0 0 0 4-3.5c0-3-3-8-7-8z"/></g></svg>
`
