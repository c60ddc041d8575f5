/**
 * The report for a person, to be read from its end: the verdict, above it what failed, section by section, with all that
 * is needed to see why, and above that how the open points are answered.
 */
import { styleText } from 'node:util'
import { SECTIONS, type Section } from './case.ts'
import type { Failure, Report, Result } from './report.ts'
import { isRequirement } from './statements.ts'

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

const plain: Paint = (_style, text) => text
const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** `colour` is for terminals that show it. */
export function textReport(report: Report, colour = false): string {
  const paint = colour ? inColour : plain
  const lines = [
    ...openPointLines(report, paint),
    paint('bold', `Interface ${report.interfaceVersion} at ${report.baseUrl}`),
    '',
    ...SECTIONS.flatMap((section) => sectionLines(section, report, paint)),
    '',
    ...closingLines(report, paint),
  ]
  return `${lines.join('\n')}\n`
}

function openPointLines({ results }: Report, paint: Paint): readonly string[] {
  const lines = SECTIONS.flatMap((section) => {
    const notes = results.filter(
      (result) => result.section === section && result.outcome !== 'not run' && result.note !== undefined,
    )
    if (notes.length === 0) return []
    return [
      `  ${section}`,
      ...notes.map(
        ({ note = '', cites }) =>
          `    ${printable(note)} ${paint('dim', `[${cites.filter((cited) => !isRequirement(cited)).join(' ')}]`)}`,
      ),
    ]
  })
  return lines.length === 0 ? [] : [paint('bold', 'How it answers where the interface leaves that open'), ...lines, '']
}

function sectionLines(section: Section, report: Report, paint: Paint): readonly string[] {
  const results = report.results.filter((result) => result.section === section)
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const passed = results.filter(({ outcome }) => outcome === 'passed')
  const notRun = results.filter(({ outcome }) => outcome === 'not run')
  const checked = failed.length + passed.length
  if (checked + notRun.length === 0) return []
  const sign = failed.length > 0 ? paint('red', '✗') : checked > 0 ? paint('green', '✓') : paint('yellow', '-')
  const tally = checked === 0 ? 'nothing checked' : `${passed.length} of ${checked} passed`
  return [
    `${sign} ${section.padEnd(26)} ${tally}${notRun.length > 0 ? paint('yellow', `, ${notRun.length} not run`) : ''}`,
    ...[...Map.groupBy(notRun, ({ note = '' }) => note)].map(([reason, cases]) =>
      paint('yellow', `    - ${cases.length} not run: ${printable(reason)}`),
    ),
    ...failed.flatMap((result) => caseLines(result, paint)),
  ]
}

function caseLines({ title, cites, id, failure }: Result, paint: Paint): readonly string[] {
  if (failure === undefined) return []
  return [
    `    ${paint('red', '✗')} ${title} ${paint('dim', `[${cites.join(' ')}]`)}`,
    ...failureLines(failure, id, paint),
    '',
  ]
}

/** A failure in full, as the JUnit report shows it too. */
export function failureLines(failure: Failure, id: string, paint: Paint = plain): readonly string[] {
  const { statement, sentence, expected, came, request, answer } = failure
  const fields: [name: string, text: string][] = [
    ['statement', `${statement}: ${sentence}`],
    ['expected', expected],
    ['came', paint('red', printable(came))],
    ['request', request],
  ]
  if (answer !== undefined) {
    fields.push(['answer', printable(answer.statusLine)])
    for (const line of answer.headers) fields.push(['', printable(line)])
    if (answer.body !== '')
      fields.push(['', ''], ...answer.body.split('\n').map((line): [string, string] => ['', printable(line)]))
  }
  fields.push(['case', id])
  return fields.map(([name, text]) => `      ${paint('dim', name.padEnd(9))} ${text}`.trimEnd())
}

/** An answer may hold characters that a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�')
}

function closingLines({ verdict, counts, created, requests }: Report, paint: Paint): readonly string[] {
  const { animals, namePrefix } = created
  const unmarked = animals.filter(({ name }) => !name.startsWith(namePrefix)).map(({ id }) => id)
  const exception = unmarked.length === 0 ? '' : `, but for those with id ${unmarked.join(', ')}`
  const left =
    animals.length === 0
      ? 'No animal was created.'
      : `${animals.length} animals were created and stay; their names begin with "${namePrefix}"${exception}.`
  const checked = counts.passed + counts.failed
  const lines = [
    `${requests} requests were answered. ${left}`,
    `${counts.passed} of ${checked} cases that can fail passed; ${counts.observed} reported on open points; ${counts['not run']} were not run.`,
  ]
  if (verdict === 'failed')
    return [
      ...lines,
      paint(['bold', 'red'], `FAILED: ${counts.failed} of ${checked} cases found a requirement broken.`),
    ]
  if (verdict === 'passed')
    return [...lines, paint(['bold', 'green'], 'PASSED: no requirement that was checked is broken.')]
  return [
    ...lines,
    paint(['bold', 'yellow'], 'INCOMPLETE: nothing failed, but the allowance did not last for every requirement.'),
  ]
}
