/** Checks what came back on a connection against what is known of its requests. */
import type { Received } from './answers.ts'
import type { Played } from './play.ts'
import type { Planned } from './requests.ts'

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** What is wrong, in one sentence; undefined if nothing is. */
export function judge(played: Played): string | undefined {
  const { connection, answers, rest, complaint, closed, timedOut } = played
  if (complaint !== undefined) return complaint
  const { requests, known, end, spoiled } = connection
  const isComplete = end === 'read' || end === 'finish'
  for (const [index, answer] of answers.entries()) {
    const wrong = connection.port === 'public' ? wrongOfAny(answer) : wrongOfOperator(answer)
    if (wrong !== undefined) return `answer ${index}: ${wrong}`
  }
  const isOrdinary = !spoiled && known === requests.length && requests.every(({ closes }) => closes !== 'breaks')
  // The operator port answers a malformed request before the responses to earlier ones, as Fastify does.
  if (connection.port === 'operator' && !isOrdinary) return undefined
  for (let index = 0; index < known; index += 1) {
    const [request, answer] = [requests[index], answers[index]]
    if (request === undefined || request.endless === true) return undefined
    if (answer === undefined) {
      if (!isComplete) return undefined
      // What a client still sends when the server has closed its side is met by a reset, which overtakes answers.
      const isOvertaken = played.wasReset && requests.slice(0, known).some(({ closes }) => closes !== 'no')
      return isOvertaken || (request.closes === 'breaks' && closed) ? undefined : `request ${index} has no answer`
    }
    const wrong = wrongOfKnown(request, answer) ?? wrongOfName(played, index) ?? wrongOfOrder(played, index)
    if (wrong !== undefined) return `answer ${index}: ${wrong}`
    const isLast =
      answer.headers.get('connection') === 'close' || (request.closes === 'breaks' && answers.length === index + 1)
    if (!isLast) continue
    if (answers.length > index + 1) return `an answer after answer ${index}, which was to be the last`
    return isComplete && rest !== '' ? 'something after the last answer' : undefined
  }
  // An interrupted one may have a response as well.
  if (!spoiled && answers.length > Math.min(known + 1, requests.length)) return 'more answers than requests'
  if (isComplete && closed && rest !== '') return `half an answer: ${JSON.stringify(rest.slice(0, 80))}`
  if (timedOut && end === 'finish') return 'the connection stays open, though its client has finished'
  return undefined
}

/** What holds for every response of the public port (R6, R15). */
function wrongOfAny({ status, headers, body }: Received): string | undefined {
  for (const name of LIMIT_HEADERS) if (!/^\d+$/.test(headers.get(name) ?? '')) return `${status} has no ${name}`
  if (status === 500) return 'a 500'
  if (status < 400) return undefined
  if (headers.get('content-type') !== 'application/json') return `${status} is not application/json`
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    return `${status} has no Retry-After`
  if (body === '') return undefined // HEAD
  const error = parsed(body)
  const isError = typeof error.code === 'string' && typeof error.message === 'string' && error.status === status
  return isError ? undefined : `${status} has no Error: ${body.slice(0, 80)}`
}

function wrongOfOperator({ status }: Received): string | undefined {
  return status >= 500 && status !== 501 && status !== 505 ? `a ${status}` : undefined
}

function wrongOfKnown(request: Planned, { status, headers }: Received): string | undefined {
  if (!request.statuses.includes(status)) return `${status}, not ${request.statuses.join(' or ')}`
  const closes = headers.get('connection') === 'close'
  if (request.closes === 'no' && closes) return 'closes the connection for no reason'
  return request.closes === 'must' && !closes ? 'does not say that the connection ends' : undefined
}

/** A created animal has the name that its own request gave it, so answers are in order (R9). */
function wrongOfName({ answers, names }: Played, index: number): string | undefined {
  const answer = answers[index]
  if (answer?.status !== 201) return undefined
  const { id, name } = parsed(answer.body)
  return typeof id === 'number' && name === names[index] ? undefined : `created ${name}, not ${names[index]}`
}

/** A list contains what the requests before it created, and nothing of those after it (RFC 9112 9.3.2). */
function wrongOfOrder({ connection, answers, names }: Played, index: number): string | undefined {
  const list = answers[index]
  if (list?.status !== 200 || connection.requests[index]?.lists !== true) return undefined
  for (const [other, { creates }] of connection.requests.entries()) {
    if (!creates) continue
    const isListed = list.body.includes(`"${names[other]}"`)
    if (other < index && answers[other]?.status === 201 && !isListed)
      return `does not list what request ${other} created`
    if (other > index && isListed) return `lists what request ${other} creates, which comes after it`
  }
  return undefined
}

function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}
