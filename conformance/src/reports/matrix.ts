/**
 * Several reports side by side: one static page without scripts, implementations across and requirements down. What is
 * shown is chosen by radio buttons and boxes that the style sheet looks at.
 */
import { isRequirement, STATEMENTS, type Statement } from '../statements.ts'
import { escaped } from './html-report.ts'
import type { SavedReport } from './read-report.ts'

interface Named {
  readonly name: string
  readonly report: SavedReport
}

type Standing = 'passed' | 'failed' | 'partly' | 'untested'

interface Cell {
  readonly standing: Standing
  readonly text: string
  /** What failed and how, or why what is open was not judged. */
  readonly details: readonly (readonly [what: string, about: string])[]
}

const REQUIREMENTS = (Object.keys(STATEMENTS) as Statement[]).filter(isRequirement)

/** What a report says of one requirement. A failure counts for the statement that it names. */
function cellOf({ results }: SavedReport, requirement: Statement): Cell {
  const about = results.filter(({ cites }) => cites.includes(requirement))
  const failed = results.flatMap(({ id, failure }) =>
    failure?.statement === requirement ? [[id, `expected ${failure.expected}; came ${failure.came}`] as const] : [],
  )
  if (failed.length > 0) return { standing: 'failed', text: `${failed.length} failed`, details: failed }
  const passed = about.filter(({ outcome }) => outcome === 'passed').length
  const open = about.filter(({ outcome }) => outcome === 'not run')
  const details = open.map(({ id, note = '' }) => [id, note] as const)
  if (passed === 0) return { standing: 'untested', text: open.length > 0 ? 'not judged' : 'not asked', details }
  if (open.length > 0) return { standing: 'partly', text: `${passed} passed, ${open.length} not judged`, details }
  return { standing: 'passed', text: `${passed} passed`, details }
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --good: light-dark(#14652c, #6fdd8b); --bad: light-dark(#a3180c, #ff9d94); --open: light-dark(#6b4700, #f0c060);
  --line: light-dark(#bbb, #555); }
body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; background: Canvas; color: CanvasText; }
fieldset { border: 1px solid var(--line); margin: 0 0 1rem; }
label { display: inline-block; margin-right: 1rem; padding: .25rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 100%; }
caption { text-align: left; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border: 1px solid var(--line); overflow-wrap: anywhere; }
tbody th { font-weight: normal; width: 22rem; min-width: 12rem; } thead th, tbody td { min-width: 8rem; }
th:first-child { position: sticky; left: 0; background: Canvas; } small { font-weight: normal; } time { white-space: nowrap; }
@media (width < 40rem) { tbody th { min-width: 7rem; font-size: .75rem; } }
.passed { color: var(--good); } .failed { color: var(--bad); } .partly, .untested { color: var(--open); }
summary { cursor: pointer; } ul { margin: .25rem 0; padding-left: 1rem; color: CanvasText; }
body:has(#show-failed:checked) tr.clean, body:has(#show-different:checked) tr.same { display: none; }
@media print { fieldset { display: none; } body { max-width: none; margin: 0; } .scroll { overflow: visible; } tr { break-inside: avoid; }
  th:first-child { position: static; } details::details-content { content-visibility: visible; block-size: auto; } }`

export function matrixPage(reports: readonly Named[]): string {
  const rows = REQUIREMENTS.map((requirement) => row(requirement, reports))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance of ${reports.length} implementations</title>
<style>${STYLE}
${reports.map((_, i) => hidingRule(i)).join('\n')}
</style>
<main>
<h1>Conformance of ${reports.length} implementations</h1>
<form>
<fieldset><legend>Requirements</legend>
${radio('all', 'all', true)}${radio('failed', 'where one failed')}${radio('different', 'where they differ')}</fieldset>
<fieldset><legend>Implementations</legend>
${reports.map(({ name }, i) => `<label><input type="checkbox" id="column-${i}" checked> ${escaped(name)}</label>\n`).join('')}</fieldset>
</form>
<div class="scroll" role="region" aria-label="Requirements by implementation" tabindex="0">
<table>
<caption>How many cases about each requirement passed or failed. A failure opens to what was expected and what came, and what was not judged to the reason.</caption>
<thead>
<tr><th scope="col">Requirement</th>${reports.map(head).join('')}</tr>
</thead>
<tbody>
${rows.join('')}</tbody>
</table>
</div>
</main>
</html>
`
}

/** The first column is that of the requirements. */
function hidingRule(column: number): string {
  return `body:has(#column-${column}:not(:checked)) :is(th, td):nth-child(${column + 2}) { display: none; }`
}

function radio(id: string, text: string, isChecked = false): string {
  return `<label><input type="radio" name="show" id="show-${id}"${isChecked ? ' checked' : ''}> ${text}</label>\n`
}

function head({ name, report: { core, verdict, kit, baseUrl, startedAt } }: Named): string {
  const about = `suite ${escaped(kit.suite)} at ${escaped(baseUrl)}, <time>${escaped(startedAt.slice(0, 10))}</time>`
  return `<th scope="col">${escaped(name)}<br><small>core <span class="${verdictClass(core)}">${escaped(core)}</span>, strict <span class="${verdictClass(verdict)}">${escaped(verdict)}</span><br>${about}</small></th>`
}

function verdictClass(verdict: string): Standing {
  return verdict === 'passed' || verdict === 'failed' ? verdict : 'partly'
}

function row(requirement: Statement, reports: readonly Named[]): string {
  const cells = reports.map(({ report }) => cellOf(report, requirement))
  const classes = [
    ...(cells.some(({ standing }) => standing === 'failed') ? [] : ['clean']),
    ...(new Set(cells.map(({ standing }) => standing)).size > 1 ? [] : ['same']),
  ]
  const head = `<th scope="row"><b>${requirement}</b> ${escaped(STATEMENTS[requirement])}</th>`
  return `<tr id="${requirement}" class="${classes.join(' ')}">${head}${cells.map(cellHtml).join('')}</tr>\n`
}

function cellHtml({ standing, text, details }: Cell): string {
  if (details.length === 0) return `<td class="${standing}">${text}</td>`
  const items = details.map(([what, about]) => `<li><code>${escaped(what)}</code>: ${escaped(about)}</li>`)
  return `<td class="${standing}"><details><summary>${text}</summary><ul>${items.join('')}</ul></details></td>`
}
