/**
 * The look of the page, which has no other file: in light and dark, on a phone, with large text, and on paper, where
 * each animal is a card. Texts have a contrast of at least 4.5.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f4ef;
  --surface: #fffefb;
  --line: #d8d3c6;
  --ink: #23302c;
  --quiet: #5c6964;
  --accent: #1f6f5c;
  --available: #dcf0e3;
  --available-ink: #17603a;
  --pending: #fbebc4;
  --pending-ink: #744c00;
  --sold: #e6e3f3;
  --sold-ink: #4c4187;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #131816;
    --surface: #1b2220;
    --line: #3a4540;
    --ink: #e7ece9;
    --quiet: #9fada7;
    --accent: #74cbb0;
    --available: #1c3a2a;
    --available-ink: #97e0b5;
    --pending: #3d3113;
    --pending-ink: #f0cf83;
    --sold: #2e2a4a;
    --sold-ink: #c4bbf5;
  }
}
* { box-sizing: border-box; }
body {
  max-width: 72rem;
  margin: 0 auto;
  padding: 1.5rem min(1.5rem, 5vw) 3rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem / 1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: max(1.25rem, min(2rem, 9vw)); line-height: 1.2; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0; }
a { color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header p, footer { color: var(--quiet); }
nav ul, footer ul, #pets-found { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0.75rem 0 0; padding: 0; list-style-type: ""; }
[hidden] { display: none !important; }
nav a, footer a, #pets-found a { display: inline-block; padding: 0.625rem 0; }
nav [aria-current] { font-weight: 700; }
#pets-search { margin-top: 0.75rem; }
#pets-search input { width: min(24rem, 100%); min-height: 44px; padding: 0.5rem 0.75rem; border: 1px solid var(--quiet); border-radius: 0.625rem; background: var(--surface); color: inherit; font: inherit; }
address { font-style: normal; margin-top: 1rem; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); }
.pets-animals {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
  gap: 0.75rem;
  margin: 0;
  padding: 0;
  list-style-type: "";
}
.pets-animal { padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--surface); }
.pets-animal:target { outline: 3px solid var(--accent); }
.pets-name { font-size: 1.125rem; font-weight: 600; line-height: 1.3; }
.pets-facts { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.75rem; margin-top: 0.375rem; }
.pets-status { padding: 0 0.625rem; border-radius: 1rem; font-size: 0.875rem; }
.pets-available { background: var(--available); color: var(--available-ink); }
.pets-pending { background: var(--pending); color: var(--pending-ink); }
.pets-sold { background: var(--sold); color: var(--sold-ink); }
.pets-number { color: var(--quiet); font-size: 0.875rem; }
@page { margin: 14mm; }
@media print {
  :root { --ground: #fff; --surface: #fff; --line: #555; --ink: #000; --quiet: #000; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav, footer, #pets-search, #pets-found { display: none; }
  h2 { break-after: avoid; }
  .pets-animals { grid-template-columns: 1fr 1fr; }
  .pets-animal { break-inside: avoid; min-height: 32mm; padding: 5mm; }
  .pets-name { font-size: 16pt; }
  .pets-status { padding: 0; background: none; color: #000; font-size: 11pt; }
  .pets-number { font-size: 11pt; }
}
`
