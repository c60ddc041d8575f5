/** The report for build servers: JUnit XML, a test suite for each section. What was observed goes to `system-out`. */
import type { Report, Result } from './report.ts'
import { failureLines } from './text-report.ts'

export function junitReport(report: Report): string {
  const suites = [...new Set(report.results.map(({ section }) => section))].map((section) =>
    suite(
      section,
      report.results.filter((result) => result.section === section),
    ),
  )
  const attributes = `name="pets check ${escaped(report.baseUrl)}" timestamp="${report.startedAt}" ${totals(report.results)}`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${suites.join('')}</testsuites>\n`
}

function suite(section: string, results: readonly Result[]): string {
  if (results.length === 0) return ''
  return `  <testsuite name="${escaped(section)}" ${totals(results)}>\n${results.map(testCase).join('')}  </testsuite>\n`
}

function totals(results: readonly Result[]): string {
  const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
  const skipped = count('not run') + count('not applicable')
  const tookMs = results.reduce((sum, result) => sum + result.tookMs, 0)
  return `${time(tookMs)} tests="${results.length}" failures="${count('failed')}" errors="0" skipped="${skipped}"`
}

/** In seconds. */
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

/** For XML text and attributes. Characters that XML 1.0 has no way to write become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
