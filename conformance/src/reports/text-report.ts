/** The report for a person, who reads it from the end: first the open points, then what failed, last the verdict. */
import { SECTIONS } from '../cases/index.ts'
import type { Failure, Report, Result, Verdict } from './report.ts'

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const
type Paint = (style: keyof typeof STYLES, text: string) => string

/** `colour` is for terminals that support it. */
export function textReport(report: Report, colour = false): string {
  const paint: Paint = (style, text) => (colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text)
  const { results } = report
  const notes = results.filter(({ outcome, note }) => note !== undefined && outcome !== 'not run')
  const lines = [
    ...notes.map(({ note = '', cites }) => `  ${printable(note)} ${paint('dim', `[${cites.join(' ')}]`)}`),
    '',
    paint('bold', `Interface ${report.interfaceVersion} at ${report.baseUrl}, kit ${report.kit}`),
    '',
    ...Object.entries(SECTIONS).flatMap(([section, cases]) => {
      const ids = new Set(cases.map(({ id }) => id))
      const own = results.filter(({ id }) => ids.has(id))
      return sectionLines(section, own, paint)
    }),
    '',
    ...closingLines(report, paint),
  ]
  return `${lines.join('\n')}\n`
}

function sectionLines(section: string, results: readonly Result[], paint: Paint): readonly string[] {
  const [failed, passed, notRun] = (['failed', 'passed', 'not run'] as const).map((outcome) =>
    results.filter((result) => result.outcome === outcome),
  )
  if (failed === undefined || passed === undefined || notRun === undefined) return []
  const checked = failed.length + passed.length
  if (checked + notRun.length === 0) return []
  const sign = failed.length > 0 ? paint('red', '✗') : checked > 0 ? paint('green', '✓') : paint('yellow', '-')
  return [
    `${sign} ${section.padEnd(16)} ${passed.length} of ${checked} passed`,
    ...notRun.map(({ id, note = '' }) => paint('yellow', `    - ${id}: ${printable(note)}`)),
    ...failed.flatMap(({ id, title, level, failure }) => [
      `    ${paint('red', '✗')} ${title}${level === 'strict' ? ' (strict)' : ''}`,
      ...(failure === undefined ? [] : failureLines(id, failure, paint)),
    ]),
  ]
}

function failureLines(id: string, failure: Failure, paint: Paint): readonly string[] {
  const { statement, sentence, expected, came, request, answer } = failure
  const fields = Object.entries({ case: id, statement: `${statement}: ${sentence}`, expected, came, request })
  const outline = answer === undefined ? [] : [`${answer.status}`, ...answer.headers, ...answer.body.split('\n')]
  for (const [i, line] of outline.entries()) fields.push([i === 0 ? 'answer' : '', line])
  return fields.map(([name, text]) => `      ${paint('dim', name.padEnd(9))} ${printable(text)}`.trimEnd())
}

/** Replaces control characters, because a terminal would obey them. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�')
}

const VERDICTS: Readonly<Record<Verdict, readonly [style: 'red' | 'green' | 'yellow', sentence: string]>> = {
  failed: ['red', 'FAILED: a requirement is broken.'],
  passed: ['green', 'PASSED: no requirement is broken in what was asked.'],
  incomplete: ['yellow', 'INCOMPLETE: nothing failed, but some requirements could not be tested.'],
}

function closingLines({ verdict, core, counts, created, requests, results }: Report, paint: Paint): readonly string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  const [style, sentence] = VERDICTS[verdict]
  const { length } = created.animals
  return [
    `${requests} requests were answered. ${length} animals were created; most names begin with "${created.namePrefix}".`,
    `${counts.passed} passed, ${counts.failed} failed, ${counts.observed} observed, ${counts['not run']} not run.`,
    ...(failed.length > 0 ? [`Failed: ${failed.join(', ')}.`] : []),
    paint('bold', paint(style, sentence)),
    `core: ${core} (what a program answers); strict: ${verdict} (every response, a parser's or a proxy's included).`,
  ]
}
