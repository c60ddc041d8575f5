/** Sends a failure of a report again: the very request, to the same address, with the keys of today. */
import { curlLine } from './http/curl.ts'
import { LIMITED_KEY } from './http/request.ts'
import { NoAnswer, type Secrets, Transport, type Trust } from './http/transport.ts'
import { outline } from './outline.ts'
import type { SavedReport } from './reports/read-report.ts'
import { requestOf, type Sent } from './reports/sent.ts'
import { failureLines } from './reports/text-report.ts'
import { PATIENCE, parseBaseUrl } from './run.ts'
import { CannotStart } from './verdicts.ts'

interface Replay {
  readonly report: SavedReport
  /** Which failure; may be missing where there is one alone. */
  readonly caseId: string | undefined
  readonly secrets: Secrets
  readonly trust: Trust
}

/** What the request is answered now, for a person. Throws CannotStart when nothing can be sent, or no answer comes. */
export async function replay({ report, caseId, secrets, trust }: Replay): Promise<string> {
  const { id, failure } = chosenFailure(report, caseId)
  const { sent } = failure
  if (sent === undefined) throw new CannotStart(`${id} is about a client, not a request; run ${failure.request}`)
  const base = parseBaseUrl(report.baseUrl)
  if ('problems' in base) throw new CannotStart(base.problems.join(' '))
  const request = requestOf(sent)
  if (secrets.limitedKey === undefined && holdsLimitedKey(sent))
    throw new CannotStart(`${id} was asked with the limited key; give it with --limited-key.`)
  const transport = new Transport(base.value, secrets, PATIENCE, Date.now, trust)
  try {
    const answer = await transport.send(request)
    const then = { ...failure, came: `${failure.came}, on ${report.startedAt}` }
    const again = { ...then, request: curlLine(base.value, request), answer: outline(answer, secrets) }
    return `${failureLines(again, id).join('\n')}\n`
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    throw new CannotStart(`${curlLine(base.value, request)}\nNo answer from ${base.value.href}: ${error.message}.`, {
      cause: error,
    })
  } finally {
    transport.close()
  }
}

function chosenFailure({ results }: SavedReport, caseId: string | undefined) {
  const failed = results.flatMap(({ id, failure }) => (failure === undefined ? [] : [{ id, failure }]))
  const [only] = failed
  if (only === undefined) throw new CannotStart('Nothing failed in this report, so there is nothing to send again.')
  const found = caseId === undefined && failed.length === 1 ? only : failed.find(({ id }) => id === caseId)
  if (found !== undefined) return found
  const ids = failed.map(({ id }) => id).join(', ')
  throw new CannotStart(
    caseId === undefined ? `Name the failure to send again, one of ${ids}.` : `${caseId} has not failed, only ${ids}.`,
  )
}

function holdsLimitedKey(sent: Sent): boolean {
  return JSON.stringify(sent).includes(LIMITED_KEY)
}
