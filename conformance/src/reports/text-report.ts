/** The report as text, to be read from the end: the verdict is last. */
import { SECTIONS } from '../cases/index.ts'
import type { Failure, Report, Result, Verdict } from './report.ts'

export function textReport(report: Report): string {
  const { results } = report
  const notes = results.filter(({ outcome, note }) => note !== undefined && outcome !== 'not run')
  const lines = [
    ...notes.map(({ note = '', cites }) => `  ${note} [${cites.join(' ')}]`),
    '',
    `API ${report.interfaceVersion} at ${report.baseUrl}, kit ${report.kit}`,
    '',
    ...Object.entries(SECTIONS).flatMap(([section, cases]) => {
      const ids = new Set(cases.map(({ id }) => id))
      return sectionLines(
        section,
        results.filter(({ id }) => ids.has(id)),
      )
    }),
    '',
    ...closingLines(report),
  ]
  // A terminal would obey control characters.
  return `${lines.map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`
}

function sectionLines(section: string, results: readonly Result[]): readonly string[] {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const [failed, passed, notRun] = [count('failed'), count('passed'), count('not run')]
  if (failed + passed + notRun === 0) return []
  return [
    `${failed > 0 ? '✗' : '✓'} ${section.padEnd(16)} ${passed} of ${failed + passed} passed`,
    ...results.flatMap(({ id, title, level, outcome, note, failure }) => [
      ...(outcome === 'not run' ? [`    - ${id}: ${note}`] : []),
      ...(failure === undefined ? [] : [`    ✗ ${title} (${level})`, ...failureLines(id, failure)]),
    ]),
  ]
}

function failureLines(
  id: string,
  { statement, sentence, expected, came, request, answer }: Failure,
): readonly string[] {
  const fields = Object.entries({ case: id, statement: `${statement}: ${sentence}`, expected, came, request })
  const outline = answer === undefined ? [] : [`${answer.status}`, ...answer.headers, ...answer.body.split('\n')]
  for (const [i, line] of outline.entries()) fields.push([i === 0 ? 'answer' : '', line])
  return fields.map(([name, text]) => `      ${name.padEnd(9)} ${text}`.trimEnd())
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  failed: 'FAILED: a requirement is broken.',
  passed: 'PASSED: every tested requirement is met.',
  incomplete: 'INCOMPLETE: nothing failed, but some requirements could not be tested.',
}

function closingLines({ verdict, core, counts, created, requests, results }: Report): readonly string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  const { length } = created.animals
  return [
    `${requests} requests were answered. ${length} animals were created; most names begin with "${created.namePrefix}".`,
    `${counts.passed} passed, ${counts.failed} failed, ${counts.observed} observed, ${counts['not run']} not run.`,
    ...(failed.length > 0 ? [`Failed: ${failed.join(', ')}.`] : []),
    VERDICTS[verdict],
    `core: ${core} (responses of the program); strict: ${verdict} (also responses of an HTTP parser or a proxy).`,
  ]
}
