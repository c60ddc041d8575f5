/**
 * Clients that send one request after another through every node and nginx, and record each one. Some create animals
 * under unique names and read them again elsewhere; some exceed the limits of their keys; some send bodies that must be
 * refused. None of them retries.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/common/system-clock.ts'
import { issueKey } from '../../src/domain/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { call, type Answer as HttpAnswer } from '../support/http.ts'
import type { Cluster } from './cluster.ts'
import type { Animal, Answer, History, Mode, Operation, Question, Setup } from './history.ts'
import type { Entrance } from './nodes.ts'

/** Eight keys under a minute limit are likely to have counters on every Redis master. */
const KEYS: Setup['keys'] = {
  wide: { perMinute: 1_000_000, perDay: 100_000_000 },
  day: { perMinute: 600, perDay: 100 },
  ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`minute${n}`, { perMinute: 10, perDay: 100_000 }])),
}
const WRITERS = 6
const READERS = 3
const LIST = 100
/** The pause between two requests of a client. */
const REST_MS = { wide: 100, minute: 450, day: 200 }
/** A gap of the timer above which the process of the clients was not running. */
const PAUSE_MS = 150
const TICK_MS = 50

type Ask = (question: Question) => Promise<Answer | undefined>

/** Issues the keys and lets all clients send requests until the returned function is called. */
export async function startWorkload(
  cluster: Cluster,
  history: History,
  mode: Mode,
  random: () => number,
): Promise<() => Promise<void>> {
  const secrets = await issueKeys(cluster.database)
  history.record({ type: 'setup', mode, keys: KEYS })

  const { entrances } = cluster
  const pick = () => entrances[Math.floor(random() * entrances.length)] as Entrance
  let stopped = false

  const startClient = async (key: string, client: string, restMs: number, work: (ask: Ask) => Promise<unknown>) => {
    let number = 0
    const ask: Ask = async (question) => {
      number += 1
      const operation = await perform(pick(), secrets.get(key) ?? '', { client, number, key, question })
      history.record(operation)
      return operation.answer
    }
    while (!stopped) {
      await work(ask)
      await sleep(restMs * (0.5 + random()))
    }
  }

  /** The animals that are known to have been acknowledged, for the clients that only read. */
  const known: number[] = []
  const write = (client: string) => {
    let n = 0
    return async (ask: Ask) => {
      n += 1
      const isValid = n % 10 !== 0
      const answer = await ask({ create: `${client}-${n}`, isValid })
      const [created] = answer?.status === 201 ? answer.animals : []
      if (created === undefined) return
      known.push(created.id)
      await ask(n % 2 === 0 ? { get: created.id } : { list: LIST })
    }
  }
  const read = (ask: Ask) => {
    const id = known[Math.floor(random() * known.length)]
    return ask(id === undefined || random() < 0.3 ? { list: LIST } : { get: id })
  }
  const hammer = (client: string) => {
    let n = 0
    return async (ask: Ask) => {
      n += 1
      await ask(n % 5 === 0 ? { create: `${client}-${n}`, isValid: true } : { list: 1 })
    }
  }

  const clients = [
    ...names('writer', WRITERS).map((name) => startClient('wide', name, REST_MS.wide, write(name))),
    ...names('reader', READERS).map((name) => startClient('wide', name, REST_MS.wide, read)),
    ...Object.keys(KEYS)
      .filter((key) => key !== 'wide')
      .map((key) => startClient(key, key, key === 'day' ? REST_MS.day : REST_MS.minute, hammer(key))),
  ]
  const watch = watchPauses(history)
  return async () => {
    stopped = true
    await Promise.all(clients)
    clearInterval(watch)
  }
}

function names(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${kind}${n}`)
}

/** The secret of each key, by its name. */
async function issueKeys(database: string): Promise<ReadonlyMap<string, string>> {
  const store = await openStore(database, { serving: false, clock: systemClock })
  try {
    const secrets = new Map<string, string>()
    for (const [label, custom] of Object.entries(KEYS)) {
      const request = { plan: 'enterprise', custom, label, expiresAtMs: undefined } as const
      secrets.set(label, (await issueKey({ store, clock: systemClock, randomBytes, who: 'test' }, request)).secret)
    }
    return secrets
  } finally {
    await store.close()
  }
}

async function perform(
  { via, host, port }: Entrance,
  secret: string,
  asked: Pick<Operation, 'client' | 'number' | 'key' | 'question'>,
): Promise<Operation> {
  const startMs = now()
  const answer = await call(port, { host, key: secret, ...toCall(asked.question) }).then(toAnswer, () => undefined)
  return { type: 'operation', ...asked, via, startMs, endMs: now(), answer }
}

/** Unix ms with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function toCall(question: Question) {
  if ('get' in question) return { path: `/v1/pets/${question.get}` }
  if ('list' in question) return { path: `/v1/pets?limit=${question.list}` }
  const { create: name, isValid } = question
  return { method: 'POST', body: JSON.stringify({ name, categoryId: isValid ? 1 : 'none' }) }
}

function toAnswer({ status, headers, body }: HttpAnswer): Answer {
  const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
  const wanted = status === 429 || status === 503 ? [...names, 'retry-after'] : names
  const hasHeaders = wanted.every((name) => /^\d+$/.test(String(headers[name])))
  if (status >= 400)
    return { status, animals: [], hasHeaders, message: (JSON.parse(body) as { message: string }).message }
  return { status, animals: ([JSON.parse(body)].flat() as Animal[]).map(({ id, name }) => ({ id, name })), hasHeaders }
}

function watchPauses(history: History): NodeJS.Timeout {
  let lastMs = now()
  return setInterval(() => {
    const startMs = lastMs
    lastMs = now()
    if (lastMs - startMs > PAUSE_MS) history.record({ type: 'pause', startMs, endMs: lastMs })
  }, TICK_MS)
}
