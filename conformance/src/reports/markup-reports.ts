/**
 * The report as one static HTML page without scripts, to be published, with a badge and the failures first; and as
 * JUnit XML for CI servers, with one test suite per section.
 */
import type { Report, Result, Verdict } from './report.ts'
import { failureLines } from './text-report.ts'

const COLOURS: Readonly<Record<Verdict, string>> = { passed: '#1a7f37', failed: '#b42318', incomplete: '#8a5a00' }

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
td:first-child { width: 7em; } td:nth-child(2) { width: 12em; }
.failed { color: ${COLOURS.failed}; } .passed { color: ${COLOURS.passed}; } .suspicious { color: ${COLOURS.incomplete}; }
@media (prefers-color-scheme: dark) { .failed { color: #ff9d94; } .passed { color: #6fdd8b; } .suspicious { color: #f0c060; } }
b.badge { padding: .25rem .75rem; border-radius: .25rem; color: #fff; }
pre { white-space: pre-wrap; background: #8882; padding: .5rem; }`

export function htmlReport(report: Report): string {
  const { kit, baseUrl, verdict, core, asked, counts, endedAt } = report
  const title = `Conformance of ${baseUrl}`
  const failed = report.results.filter(({ outcome }) => outcome === 'failed')
  const others = bySection(report.results.filter(({ outcome }) => outcome !== 'failed'))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}
</style>
<h1>${escaped(title)}</h1>
<p><b class="badge" style="background: ${COLOURS[core]}">core: ${core}</b> <b class="badge" style="background: ${COLOURS[verdict]}">strict: ${verdict}</b></p>
<p>${asked.cases} of ${asked.of} cases that can fail were asked: ${counts.passed} passed, ${counts.failed} failed, ${counts.suspicious} suspicious, ${counts.observed} reported on open
points, ${counts['not run']} not run. Kit ${escaped(kit.version)}, suite ${escaped(kit.suite)}, interface
${escaped(report.interfaceVersion)}, <time>${escaped(endedAt)}</time>.</p>
${sectionHtml('What failed', failed)}${others.map(([section, its]) => sectionHtml(section, its)).join('')}</html>
`
}

/** Groups results by section, in the order in which they ran. */
function bySection(results: readonly Result[]): readonly (readonly [section: string, its: readonly Result[]])[] {
  const sections = [...new Set(results.map(({ section }) => section))]
  return sections.map((section) => [section, results.filter((result) => result.section === section)])
}

function sectionHtml(section: string, results: readonly Result[]): string {
  if (results.length === 0) return ''
  return `<h2>${escaped(section)}</h2>\n<table>\n${results.map(row).join('')}</table>\n`
}

function row({ id, title, cites, level, outcome, note = '', failure }: Result): string {
  const details = failure === undefined ? '' : `<pre>${escaped(failureLines(failure, id).join('\n'))}</pre>`
  const tags = `[${cites.join(' ')}]${level === 'strict' ? ' strict' : ''}`
  const about = `${escaped(title)} <small>${escaped(tags)}</small>${note === '' ? '' : `<br>${escaped(note)}`}${details}`
  return `<tr id="${escaped(id)}"><td class="${outcome.replace(/ .*/, '')}">${escaped(outcome)}</td><td><code>${escaped(id)}</code></td><td>${about}</td></tr>\n`
}

export function junitReport(report: Report): string {
  const suites = bySection(report.results).map(([section, its]) => suite(section, its))
  const attributes = `name="pets check ${escaped(report.baseUrl)}" timestamp="${report.startedAt}" ${totals(report.results)}`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${suites.join('')}</testsuites>\n`
}

function suite(section: string, results: readonly Result[]): string {
  return `  <testsuite name="${escaped(section)}" ${totals(results)}>\n${results.map(testCase).join('')}  </testsuite>\n`
}

function totals(results: readonly Result[]): string {
  const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
  const skipped = count('not run') + count('not applicable')
  const tookMs = results.reduce((sum, result) => sum + result.tookMs, 0)
  return `${time(tookMs)} tests="${results.length}" failures="${count('failed')}" errors="0" skipped="${skipped}"`
}

/** JUnit times are in seconds. */
function time(ms: number): string {
  return `time="${(ms / 1000).toFixed(3)}"`
}

function testCase({ id, section, title, cites, outcome, tookMs, note, failure }: Result): string {
  const content: string[] = []
  if (failure !== undefined) {
    const message = `${failure.statement}: expected ${failure.expected}; came ${failure.came}`
    const details = failureLines(failure, id).join('\n')
    content.push(`<failure type="${failure.statement}" message="${escaped(message)}">${escaped(details)}</failure>`)
  } else if (note !== undefined) {
    content.push(
      outcome.startsWith('not ')
        ? `<skipped message="${escaped(note)}"/>`
        : `<system-out>${escaped(note)}</system-out>`,
    )
  }
  const attributes = `classname="${escaped(`${section}.${id}`)}" name="${escaped(`${title} [${cites.join(' ')}]`)}"`
  return `    <testcase ${attributes} ${time(tookMs)}>${content.join('')}</testcase>\n`
}

/** Escapes text and attribute values of HTML and XML. Characters that XML 1.0 forbids become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
