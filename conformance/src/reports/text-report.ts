/**
 * The report for a person, who reads it from the end: the verdict is last, before it the failures by section with all
 * details, and before those the answers to open points.
 */
import { SECTIONS, type Section } from '../case.ts'
import { isRequirement } from '../interface.ts'
import type { Failure, Report, Result, Verdict } from './report.ts'

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const
type Paint = (style: keyof typeof STYLES, text: string) => string

const plain: Paint = (_style, text) => text
const inColour: Paint = (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m`

/** `colour` is for terminals that support it. */
export function textReport(report: Report, colour = false): string {
  const paint = colour ? inColour : plain
  const lines = [
    ...openPointLines(report, paint),
    paint('bold', `Interface ${report.interfaceVersion} at ${report.baseUrl}`),
    paint('dim', `kit ${report.kit.version}, suite ${report.kit.suite}`),
    '',
    ...SECTIONS.flatMap((section) => sectionLines(section, report, paint)),
    '',
    ...closingLines(report, paint),
  ]
  return `${lines.join('\n')}\n`
}

function openPointLines({ results }: Report, paint: Paint): readonly string[] {
  const noted = results.filter(({ outcome, note }) => note !== undefined && ['observed', 'passed'].includes(outcome))
  const lines = SECTIONS.flatMap((section) => {
    const notes = noted.filter((result) => result.section === section)
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
  const of = (outcome: Result['outcome']): readonly Result[] => results.filter((result) => result.outcome === outcome)
  const [failed, passed, notRun, suspicious] = [of('failed'), of('passed'), of('not run'), of('suspicious')]
  const checked = failed.length + passed.length
  if (checked + notRun.length + suspicious.length === 0) return []
  const sign = failed.length > 0 ? paint('red', '✗') : checked > 0 ? paint('green', '✓') : paint('yellow', '-')
  const tally = checked === 0 ? 'nothing checked' : `${passed.length} of ${checked} passed`
  return [
    `${sign} ${section.padEnd(26)} ${tally}${notRun.length > 0 ? paint('yellow', `, ${notRun.length} not run`) : ''}`,
    ...[...byReason(notRun)].map(([reason, ids]) => paint('yellow', `    - ${printable(reason)} (${ids.join(', ')})`)),
    ...suspicious.map(({ id, note = '' }) => paint('yellow', `    ? ${id}: suspicious, ${printable(note)}`)),
    ...failed.flatMap((result) => caseLines(result, paint)),
  ]
}

function byReason(notRun: readonly Result[]): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>()
  for (const { id, note = '', restsOn } of notRun) {
    const reason = restsOn === undefined ? `not run: ${note}` : note
    reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  }
  return reasons
}

function caseLines(result: Result, paint: Paint): readonly string[] {
  const { title, cites, id, level, failure } = result
  if (failure === undefined) return []
  const tags = `[${cites.join(' ')}]${level === 'strict' ? ' strict' : ''}`
  return [`    ${paint('red', '✗')} ${title} ${paint('dim', tags)}`, ...failureLines(failure, id, paint), '']
}

/** A failure in full, as the other reports show it too. */
export function failureLines(
  { statement, sentence, expected, came, request, answer }: Failure,
  id: string,
  paint = plain,
): readonly string[] {
  const fields: [name: string, text: string][] = [
    ['case', id],
    ['statement', `${statement}: ${sentence}`],
    ['expected', expected],
    ['came', paint('red', printable(came))],
    ['request', request],
  ]
  if (answer !== undefined) {
    fields.push(['answer', printable(answer.statusLine)])
    const body = answer.body === '' ? [] : ['', ...answer.body.split('\n')]
    for (const line of [...answer.headers, ...body]) fields.push(['', printable(line)])
  }
  return fields.map(([name, text]) => `      ${paint('dim', name.padEnd(9))} ${text}`.trimEnd())
}

/** Replaces control characters, because a terminal would obey them. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�')
}

const VERDICTS: Readonly<Record<Verdict, readonly [word: string, style: 'red' | 'green' | 'yellow']>> = {
  failed: ['FAILED', 'red'],
  passed: ['PASSED', 'green'],
  incomplete: ['INCOMPLETE', 'yellow'],
}

function closingLines(report: Report, paint: Paint): readonly string[] {
  const { verdict, core, asked, counts, created, requests, leftOut, results } = report
  const checked = counts.passed + counts.failed
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  const [word, style] = VERDICTS[verdict]
  const reasons: Readonly<Record<Verdict, string>> = {
    failed: `${counts.failed} of ${checked} cases found a requirement broken.`,
    passed: `no requirement is broken${asked.cases < asked.of ? ` in what was asked, ${asked.cases} of ${asked.of} cases that can fail` : ''}.`,
    incomplete: 'nothing failed, but some requirements could not be put to the test; see "not run" above.',
  }
  const suspicious = counts.suspicious > 0 ? `, ${counts.suspicious} saw something suspicious` : ''
  return [
    `${requests} requests were answered. ${leftBehind(created)}`,
    ...(leftOut > 0
      ? [`${leftOut} cases that leave animals of their own were not asked; --thorough asks them too.`]
      : []),
    `${counts.passed} of ${checked} cases that can fail passed${suspicious}; ${counts.observed} reported on open points; ${counts['not run']} were not run.`,
    ...(failed.length > 0 ? [`Failed, as told above: ${failed.join(', ')}.`] : []),
    paint('bold', paint(style, `${word}: ${reasons[verdict]}`)),
    `core: ${core} (what a program answers); strict: ${verdict} (every response, a parser's or a proxy's included).`,
  ]
}

/** What the run has created. The interface has no way to delete it. */
function leftBehind({ animals, namePrefix }: Report['created']): string {
  if (animals.length === 0) return 'No animal was created.'
  const unmarked = animals.filter(({ name }) => !name.startsWith(namePrefix)).map(({ id }) => id)
  const exception = unmarked.length === 0 ? '' : `, but for those with id ${unmarked.join(', ')}`
  const were = animals.length === 1 ? 'animal was created and stays' : 'animals were created and stay'
  return `${animals.length} ${were}; their names begin with "${namePrefix}"${exception}. --created FILE lists them.`
}
