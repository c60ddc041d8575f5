/**
 * A process that runs files of tests one after the other, as run-files.ts tells it: what they share is loaded once.
 * Each file is a suite of its own, so that its hooks are for its tests alone. This module is node's reporter as well,
 * and sends each result to its parent.
 */
import { describe } from 'node:test'
import { inspect } from 'node:util'

export interface TestResult {
  readonly type: 'test'
  /** The titles of its suites and its own. */
  readonly titles: readonly string[]
  readonly line: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  /** What it failed with, with the difference; why it was skipped. */
  readonly text: string
}

/** What a worker tells. `stray`: an error of no running test; `end`: the file has ended. */
export type Told = TestResult | { readonly type: 'stray'; readonly text: string } | { readonly type: 'end' }

interface Reported {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly nesting?: number
    readonly line?: number
    readonly skip?: string | boolean
    readonly details?: { readonly type?: string; readonly duration_ms: number; readonly error?: Failure }
  }
}
/** node's own error around what a test threw. */
type Failure = Error & { readonly failureType?: string }

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  process.on('message', (file: string) => void describe(() => import(file)))
  // What tests leave open does not keep it; what they have started, and their folders, go with it.
  process.on('disconnect', () => process.exit())
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => tell({ type: 'stray', text: inspect(error) }))
  }
}

/** Of node, which gives it all that happens; nothing is printed here. */
export default async function* report(events: AsyncIterable<Reported>): AsyncGenerator<string> {
  const titles: string[] = []
  for await (const { type, data } of events) {
    const { name = '', nesting = 0, details } = data
    if (type === 'test:start') titles.splice(nesting, Infinity, name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const failure = details?.error
    const isSuite = details?.type === 'suite'
    // A suite has failed with its tests, which have been told; one that failed by itself is told as a test.
    const isTold = type === 'test:fail' ? failure?.failureType !== 'subtestsFailed' : !isSuite
    if (isTold) {
      const isSkipped = data.skip !== undefined && data.skip !== false
      tell({
        type: 'test',
        titles: [...titles.slice(1, nesting), ...(nesting > 0 ? [name] : [])],
        line: data.line ?? 0,
        outcome: type === 'test:fail' ? 'failed' : isSkipped ? 'skipped' : 'passed',
        ms: details?.duration_ms ?? 0,
        text: failure !== undefined ? textOf(failure) : isSkipped ? String(data.skip) : '',
      })
    }
    if (nesting === 0) tell({ type: 'end' })
  }
  yield ''
}

function tell(told: Told): void {
  process.send?.(told)
}

/** Without the frames of node itself, and without the fields of an assertion, which its message shows. */
function textOf(failure: Failure): string {
  const thrown = failure.cause instanceof Error ? failure.cause : failure
  if (!(failure.cause instanceof Error) && failure.failureType === 'testCodeFailure') return inspect(failure.cause)
  const stack = (thrown.stack ?? String(thrown)).split('\n').filter((line) => !/^ {4}at .*\(?node:/.test(line))
  const { cause } = thrown
  return [stack.join('\n'), ...(cause === undefined ? [] : [`caused by ${inspect(cause)}`])].join('\n')
}
