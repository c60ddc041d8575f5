/**
 * Judges a history, and uses nothing else. Each invariant is a function from the history to its violations, so a
 * violation comes with the entries that prove it. Uncertainty counts in favour of the service: a request without a
 * response may have been processed or not, and one that spans the edge of a window counts in neither.
 */
import { ALLOWANCE, NOTHING_WAS_STORED } from './allowance.ts'
import {
  type Alone,
  type Animal,
  type Answer,
  type Entry,
  type Fault,
  type Final,
  type Operation,
  overlaps,
  type Pause,
  type Setup,
  type Span,
} from './history.ts'

export interface Violation {
  readonly invariant: string
  readonly what: string
  readonly evidence: readonly Entry[]
}

type Found = Omit<Violation, 'invariant'>

/** A create that was acknowledged. */
interface Acknowledged extends Animal {
  readonly operation: Operation
}

/** A history, sorted. */
interface Record {
  readonly setup: Setup
  readonly operations: readonly Operation[]
  readonly acknowledged: readonly Acknowledged[]
  readonly faults: readonly Fault[]
  readonly alone: readonly Alone[]
  readonly pauses: readonly Pause[]
  readonly final: readonly Animal[]
}

export const INVARIANTS: Readonly<{ [invariant: string]: (record: Record) => Found[] }> = {
  'every acknowledged animal is there once under its id': keptOnce,
  'no id is given twice': noIdTwice,
  'every read shows what was acknowledged before it': readsShowAcknowledged,
  'no key is admitted more often than its limits allow': limitsHold,
  'nothing that was refused is stored': refusedIsNotStored,
  'every request is answered, and in time': answeredInTime,
  'every answer carries the limit headers': headersAreThere,
}

export function check(entries: readonly Entry[]): readonly Violation[] {
  const record = toRecord(entries)
  return Object.entries(INVARIANTS).flatMap(([invariant, find]) =>
    find(record).map((found) => ({ invariant, ...found })),
  )
}

function toRecord(entries: readonly Entry[]): Record {
  const operations = entries.filter((entry): entry is Operation => entry.type === 'operation')
  const setup = entries.find((entry): entry is Setup => entry.type === 'setup')
  const final = entries.find((entry): entry is Final => entry.type === 'final')
  if (setup === undefined || final === undefined) throw new Error('a history has a setup and an end')
  const acknowledged = operations.flatMap((operation) => {
    const [animal] = 'create' in operation.question && operation.answer?.status === 201 ? operation.answer.animals : []
    return animal === undefined ? [] : [{ ...animal, operation }]
  })
  return {
    setup,
    operations,
    acknowledged: acknowledged.sort((a, b) => a.id - b.id),
    faults: entries.filter((entry): entry is Fault => entry.type === 'fault'),
    alone: entries.filter((entry): entry is Alone => entry.type === 'alone'),
    pauses: entries.filter((entry): entry is Pause => entry.type === 'pause'),
    final: final.animals,
  }
}

/**
 * With asynchronous replication: whether a leader was lost after (or just as) this was acknowledged, and before `byMs`.
 */
function mayBeForgotten({ operation }: Acknowledged, byMs: number, { setup, faults }: Record): boolean {
  if (setup.mode === 'synchronous') return false
  return faults.some(
    ({ target, startMs, endMs }) =>
      target === 'leader' &&
      startMs <= byMs &&
      operation.endMs >= startMs - ALLOWANCE.animalsForgottenMs &&
      operation.endMs <= endMs,
  )
}

function keptOnce(record: Record): Found[] {
  const byId = Map.groupBy(record.final, ({ id }) => id)
  const byName = Map.groupBy(record.final, ({ name }) => name)
  const lost = record.acknowledged
    .filter(({ id, name }) => !byId.get(id)?.some((kept) => kept.name === name))
    .filter((animal) => !mayBeForgotten(animal, Infinity, record))
    .map(({ id, name, operation }) => ({
      what: `${name} was acknowledged as ${id}; stored under this id: ${byId.get(id)?.[0]?.name ?? 'nothing'}`,
      evidence: [operation, ...faultsAround(operation, record)],
    }))
  const twice = [...byName]
    .filter(([, kept]) => kept.length > 1)
    .map(([name, kept]) => ({
      what: `${name} is stored ${kept.length} times, as ${kept.map(({ id }) => id).join(', ')}`,
      evidence: record.operations.filter(({ question }) => 'create' in question && question.create === name),
    }))
  return [...lost, ...twice]
}

function noIdTwice(record: Record): Found[] {
  const given = [...Map.groupBy(record.acknowledged, ({ id }) => id)]
    .filter(([, animals]) => animals.length > 1)
    .filter(([, animals]) => !animals.some((animal) => mayBeForgotten(animal, Infinity, record)))
    .map(([id, animals]) => ({
      what: `${id} was given to ${animals.map(({ name }) => name).join(' and ')}`,
      evidence: animals.map(({ operation }) => operation),
    }))
  const stored = [...Map.groupBy(record.final, ({ id }) => id)]
    .filter(([, animals]) => animals.length > 1)
    .map(([id]) => ({ what: `${id} is stored twice`, evidence: [] }))
  return [...given, ...stored]
}

function readsShowAcknowledged(record: Record): Found[] {
  const byId = Map.groupBy(record.acknowledged, ({ id }) => id)
  return record.operations.flatMap((read) => {
    const { question, answer } = read
    if (answer === undefined) return []
    const missing =
      'get' in question && (answer.status === 200 || answer.status === 404)
        ? (byId.get(question.get) ?? [])
        : 'list' in question && answer.status === 200
          ? inRangeOf(answer, question.list, record.acknowledged)
          : []
    return missing
      .filter(({ operation }) => operation.endMs < read.startMs)
      .filter(({ id, name }) => !answer.animals.some((shown) => shown.id === id && shown.name === name))
      .filter((animal) => !mayBeForgotten(animal, read.endMs, record))
      .map(({ id, name, operation }) => ({
        what: `${name}, acknowledged as ${id} by ${operation.via}, is not in what ${read.via} answered ${Math.round(read.startMs - operation.endMs)} ms later`,
        evidence: [operation, read, ...faultsAround(read, record)],
      }))
  })
}

/** The animals that a list, newest first, must contain: all above its lowest id, or all if it is not full. */
function inRangeOf({ animals }: Answer, limit: number, sortedById: readonly Acknowledged[]): readonly Acknowledged[] {
  const lowest = animals.length < limit ? 0 : Math.min(...animals.map(({ id }) => id))
  const from = sortedById.findLastIndex(({ id }) => id < lowest) + 1
  return sortedById.slice(from)
}

const WINDOWS = [
  { name: 'minute', ms: 60_000, limit: 'perMinute' },
  { name: 'day', ms: 86_400_000, limit: 'perDay' },
] as const

function limitsHold(record: Record): Found[] {
  return Object.entries(record.setup.keys).flatMap(([key, limits]) =>
    WINDOWS.flatMap(({ name, ms, limit }) => {
      const admitted = record.operations.filter((one) => one.key === key && wasAdmitted(one) && isWithinOne(one, ms))
      return [...Map.groupBy(admitted, ({ startMs }) => Math.floor(startMs / ms))].flatMap(([number, ofWindow]) => {
        const window = { startMs: number * ms, endMs: (number + 1) * ms }
        const tooMany = claims(ofWindow, limits[limit], window, record).find(
          ({ admitted, allowed }) => admitted.length > allowed,
        )
        if (tooMany === undefined) return []
        const { by, admitted: those, allowed } = tooMany
        const what = `${key} was admitted ${those.length} times by ${by} in the ${name} of ${new Date(window.startMs).toISOString()}; ${limits[limit]} a ${name}, and ${allowed} with what was gone`
        const gone = [...record.alone, ...record.faults].filter((span) => overlaps(span, window))
        return [{ what, evidence: [...gone, ...those.slice(-3)] }]
      })
    }),
  )
}

interface Claim {
  readonly by: string
  readonly admitted: readonly Operation[]
  readonly allowed: number
}

/** What all counters may have admitted together, and each where it is known that it decided. */
function claims(admitted: readonly Operation[], limit: number, window: Span, record: Record): readonly Claim[] {
  const lost = forgotten(admitted, window, record)
  const each = [...Map.groupBy(admitted, (operation) => counterOf(operation, record))].flatMap(([by, decided]) =>
    by === undefined ? [] : [{ by, admitted: decided, allowed: by === SHARED ? limit + lost : limit }],
  )
  return [{ by: 'all counters', admitted, allowed: limit * groupsCounting(window, record) + lost }, ...each]
}

const SHARED = 'the shared counters'

/** The counters that decided on a request. Undefined for one through nginx, or at the edge of a node's time alone. */
function counterOf(operation: Operation, { alone }: Record): string | undefined {
  if (operation.via === 'nginx') return undefined
  const { logMs } = ALLOWANCE
  const around = { startMs: operation.startMs - logMs, endMs: operation.endMs + logMs }
  const phase = alone.find((one) => one.node === operation.via && overlaps(one, around))
  if (phase === undefined) return SHARED
  const isWithin = phase.startMs <= around.startMs && around.endMs <= phase.endMs
  return isWithin ? `${phase.node} ${phase.life} by itself` : undefined
}

/** Whether the response proves that the request was counted (O13): after a 503 it may have been or not. */
function wasAdmitted({ answer }: Operation): boolean {
  return answer !== undefined && answer.status !== 429 && answer.status !== 401 && answer.status < 500
}

function isWithinOne({ startMs, endMs }: Operation, windowMs: number): boolean {
  return Math.floor(startMs / windowMs) === Math.floor(endMs / windowMs)
}

/** The nodes that count together, and each life of a node that counted by itself. */
function groupsCounting(window: Span, { alone }: Record): number {
  const lives = alone.filter((span) => overlaps(span, window)).map(({ node, life }) => `${node} ${life}`)
  return 1 + ALLOWANCE.admittedByEachThatCountsAlone * new Set(lives).size
}

/** What lost masters may have counted and forgotten. */
function forgotten(admitted: readonly Operation[], window: Span, record: Record): number {
  const lost = record.faults.filter(
    (fault) => fault.target === 'redis master' && fault.verb !== 'slow' && overlaps(fault, window),
  )
  const spans = lost.map(({ startMs }) => ({ startMs: startMs - ALLOWANCE.countsForgottenMs, endMs: startMs }))
  return admitted.filter((operation) => spans.some((span) => overlaps(span, operation))).length
}

function refusedIsNotStored({ operations, final }: Record): Found[] {
  const stored = new Map(final.map((animal) => [animal.name, animal]))
  return operations.flatMap((operation) => {
    const { question, answer } = operation
    if (!('create' in question) || answer === undefined) return []
    const animal = stored.get(question.create)
    if (!question.isValid && answer.status < 400) {
      return [{ what: `an invalid body was answered ${answer.status}`, evidence: [operation] }]
    }
    if (animal === undefined || !isRefusal(answer)) return []
    return [{ what: `${question.create} was refused with ${answer.status} and is stored`, evidence: [operation] }]
  })
}

function isRefusal({ status, message = '' }: Answer): boolean {
  return (status >= 400 && status < 500) || (status === 503 && NOTHING_WAS_STORED.includes(message))
}

function answeredInTime(record: Record): Found[] {
  return record.operations.flatMap((operation) => {
    const allowedMs = operation.via === 'nginx' ? ALLOWANCE.answerMs.nginx : ALLOWANCE.answerMs.node
    const pausedMs = record.pauses
      .filter((pause) => overlaps(pause, operation))
      .reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
    const tookMs = operation.endMs - operation.startMs
    const isInTime =
      operation.answer !== undefined && tookMs <= allowedMs + ALLOWANCE.clientMs + ALLOWANCE.pauseCounts * pausedMs
    if (isInTime || record.faults.some((fault) => breaks(fault, operation))) return []
    const how = operation.answer === undefined ? 'no answer' : String(operation.answer.status)
    const what = `${operation.via} took ${Math.round(tookMs)} ms of ${allowedMs}: ${how}`
    return [{ what, evidence: [operation, ...faultsAround(operation, record)] }]
  })
}

/** A node that is killed, stopped or cut off cannot answer; nginx always can. */
function breaks({ target, on, startMs, endMs }: Fault, operation: Operation): boolean {
  if (target !== 'node' || on !== operation.via) return false
  return overlaps({ startMs, endMs: endMs + ALLOWANCE.brokenNodeMs }, operation)
}

function headersAreThere({ operations }: Record): Found[] {
  return operations
    .filter(({ answer }) => answer !== undefined && !answer.hasHeaders)
    .map((operation) => ({
      what: `${operation.via} answered ${operation.answer?.status} without a header`,
      evidence: [operation],
    }))
}

/** The faults in effect while this request was in flight. */
function faultsAround(operation: Operation, { faults }: Record): readonly Fault[] {
  return faults.filter((fault) => overlaps(fault, operation))
}
