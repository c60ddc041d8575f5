/** Plays the cases to a client, several at a time, each on a stage of its own, and makes the report. */
import { createHash } from 'node:crypto'
import { INTERFACE_VERSION } from '../interface.ts'
import { OUTCOMES, type Report, type Result, type Verdict } from '../reports/report.ts'
import { STATEMENTS } from '../statements.ts'
import { KIT_VERSION, SUITE_VERSION } from '../suite.ts'
import { type Client, type ClientCase, Fault, type JudgeClock, type Play, Unsupported } from './case.ts'
import { FAILURES } from './cases/failures.ts'
import { REFUSALS } from './cases/refusals.ts'
import { REQUESTS } from './cases/requests.ts'
import { Stage } from './stage.ts'

export const CLIENT_CASES: readonly ClientCase[] = [...REFUSALS, ...FAILURES, ...REQUESTS]

/** A client that has not come back by then does not: nothing it is asked to wait for is longer than some seconds. */
const LONGEST_CASE_MS = 60_000
const ADVICE = 'What the interface does not say, and a client does that harms nobody.'

/** Where a stage can be reached. */
export interface Hosted {
  readonly baseUrl: string
  readonly elsewhere: string
  close(): void
}

interface ClientTrial {
  /** What the report calls the client. */
  readonly name: string
  readonly clock: JudgeClock
  readonly cases: readonly ClientCase[]
  /** How many cases are played at a time. */
  readonly atOnce: number
  readonly host: (stage: Stage) => Promise<Hosted>
  readonly open: (baseUrl: string, key: string) => Client
}

export async function judgeClient(trial: ClientTrial): Promise<Report> {
  const { clock, cases, atOnce, name } = trial
  const startedAt = new Date(clock.now()).toISOString()
  const results = new Map<string, Result>()
  let requests = 0
  const left = [...cases]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const stage = new Stage(clock)
      results.set(next.id, await judgeCase(next, stage, trial))
      requests += stage.requests.length
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const inOrder = cases.flatMap(({ id }) => results.get(id) ?? [])
  const count = (outcome: Result['outcome']) => inOrder.filter((result) => result.outcome === outcome).length
  return {
    kit: { version: KIT_VERSION, suite: SUITE_VERSION, digest: digestOf(cases) },
    interfaceVersion: INTERFACE_VERSION,
    baseUrl: name,
    thorough: false,
    leftOut: 0,
    startedAt,
    endedAt: new Date(clock.now()).toISOString(),
    verdict: verdictOf(inOrder),
    core: verdictOf(inOrder.filter(({ level }) => level === 'core')),
    counts: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Report['counts'],
    requests,
    created: { namePrefix: '', animals: [] },
    results: inOrder,
  }
}

function verdictOf(results: readonly Result[]): Verdict {
  return results.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'passed'
}

function digestOf(cases: readonly ClientCase[]): string {
  return `sha256:${createHash('sha256')
    .update(cases.map(({ id }) => id).join('\n'))
    .digest('hex')}`
}

async function judgeCase(each: ClientCase, stage: Stage, { clock, host, open, name }: ClientTrial): Promise<Result> {
  const { id, section, title, cites } = each
  const startMs = clock.now()
  const hosted = await host(stage)
  const clients: Client[] = []
  const play = playOn(stage, hosted, clock, (key) => open(hosted.baseUrl, key), clients)
  let stopTimer = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    stopTimer = clock.after(LONGEST_CASE_MS, () =>
      reject(new Fault('an end of each call', `none within ${LONGEST_CASE_MS / 1_000} s`)),
    )
  })
  const result = { id, section, title, cites: [cites], level: cites === 'advice' ? 'strict' : 'core' } as const
  const ended = () => ({ since: '1.3', interrupted: false, tookMs: Math.max(0, Math.round(clock.now() - startMs)) })
  try {
    await Promise.race([each.play(play), late])
    return { ...result, ...ended(), outcome: 'passed' }
  } catch (error) {
    if (error instanceof Unsupported) return { ...result, ...ended(), outcome: 'not applicable', note: error.message }
    if (!(error instanceof Fault)) throw error
    const { expected, came } = error
    const sentence = cites === 'advice' ? ADVICE : STATEMENTS[cites]
    const request = `pets check-client --case ${id} -- ${name}`
    const failure = { statement: cites, sentence, expected, came: came.replaceAll(play.key, '$KEY'), request }
    return { ...result, ...ended(), outcome: 'failed', failure }
  } finally {
    stopTimer()
    for (const client of clients) client.close()
    hosted.close()
  }
}

/** The clients that are opened are added to `clients`. */
function playOn(
  stage: Stage,
  { elsewhere }: Hosted,
  clock: JudgeClock,
  open: (key: string) => Client,
  clients: Client[],
): Play {
  const key = 'pets_judge-8Jq2'
  const tooMany = stage.tooMany.then(() => {
    throw new Fault('an end of asking', `${stage.requests.length} requests`)
  })
  tooMany.catch(() => {})
  return {
    clock,
    key,
    elsewhere,
    requests: stage.requests,
    requestsElsewhere: stage.requestsElsewhere,
    script: (script) => stage.script(script),
    answer(...replies) {
      stage.script((_seen, number) => replies[Math.min(number, replies.length) - 1] ?? { status: 404 })
    },
    ask(call, number = 0) {
      const client = clients[number] ?? open(key)
      clients[number] = client
      const told = Promise.race([client.call(call), tooMany]).then((told) => {
        if (told.unsupported) throw new Unsupported(`the client has no call "${call.call}"`)
        return told
      })
      told.catch(() => {}) // a case may end before it looks
      return told
    },
    wait: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
  }
}
