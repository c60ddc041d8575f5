/** The report about a client for a person: the sections, below each what failed, and the verdict at the end. */
import type { Report, Result } from '../reports/report.ts'
import { failureLines } from '../reports/text-report.ts'

export function clientReport({ baseUrl, results, counts, verdict, core, requests }: Report): string {
  const sections = [...new Set(results.map(({ section }) => section))]
  const lines = [
    `The client ${baseUrl}`,
    '',
    ...sections.flatMap((section) =>
      sectionLines(
        section,
        results.filter((result) => result.section === section),
      ),
    ),
    '',
    `${requests} requests came. ${counts.passed} of ${counts.passed + counts.failed} cases passed.`,
    `${verdict.toUpperCase()}; what the interface says: ${core}; with what is good advice: ${verdict}.`,
  ]
  return `${lines.join('\n')}\n`
}

function sectionLines(section: string, results: readonly Result[]): readonly string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const passed = results.filter(({ outcome }) => outcome === 'passed')
  const left = results.filter(({ outcome }) => outcome === 'not applicable')
  return [
    `${failed.length > 0 ? '✗' : '✓'} ${section.padEnd(18)} ${passed.length} of ${passed.length + failed.length} passed`,
    ...left.map(({ id, note }) => `    - ${id}: ${note}`),
    ...failed.flatMap(({ id, title, cites, failure }) => [
      `    ✗ ${title} [${cites.join(' ')}]`,
      ...(failure === undefined ? [] : failureLines(failure, id)),
      '',
    ]),
  ]
}
