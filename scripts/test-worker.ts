/**
 * A process that runs the test files that run-files.ts sends it, one after the other, so that shared modules are loaded
 * once. Each file is a suite, so that its hooks apply to its own tests only. This module is also the reporter of Node's
 * test runner, and sends each result to the parent process.
 */
import { describe } from 'node:test'
import { inspect } from 'node:util'

export interface TestResult {
  readonly type: 'test'
  /** The titles of the suites around the test, then its own. */
  readonly titles: readonly string[]
  /** In its file; 0 where a helper in another one declares it. */
  readonly line: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  /** The error with the difference, or the reason for skipping. */
  readonly text: string
  /** It has not ended within the timeout. */
  readonly isHung: boolean
}

/** A message of a worker. `stray`: an error outside of any running test; `end`: the file has ended. */
export type WorkerMessage =
  | TestResult
  | { readonly type: 'start'; readonly titles: readonly string[] }
  | { readonly type: 'stray'; readonly text: string }
  | { readonly type: 'end' }

interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly nesting?: number
    readonly file?: string
    readonly line?: number
    readonly skip?: string | boolean
    readonly details?: { readonly type?: string; readonly duration_ms: number; readonly error?: Failure }
  }
}
/** Node's error, which wraps the one that a test threw. */
type Failure = Error & { readonly failureType?: string }

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  process.on('message', (file: string) => {
    describe(() => import(file))
    if (!process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'))) return
    // Of a file without a test of this name nothing is reported, and nothing is left to do.
    process.channel?.unref()
    process.once('beforeExit', () => send({ type: 'end' }))
  })
  // Exit even if tests have left handles open; their child processes and folders are removed at exit.
  process.on('disconnect', () => {
    try {
      process.exit()
    } catch (error) {
      // A hook of the exit failed, which would keep the process for good. The signal tells the run.
      process.stderr.write(`${inspect(error)}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
  })
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => send({ type: 'stray', text: inspect(error) }))
  }
}

/** The reporter, which Node's runner calls with all events. It prints nothing. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** Of what is reported now, which may have ended, and of what runs. */
  const [titles, begun]: [string[], string[]] = [[], []]
  for await (const { type, data } of events) {
    const { name = '', nesting = 0, details } = data
    if (type === 'test:start') titles.splice(nesting, Infinity, name)
    if (type === 'test:dequeue') {
      begun.splice(nesting, Infinity, name)
      send({ type: 'start', titles: begun.slice(1) })
      // What it waits for need not keep this process alive.
      process.channel?.ref()
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const failure = details?.error
    const isSuite = details?.type === 'suite'
    const isSkipped = data.skip !== undefined && data.skip !== false
    // A suite that failed only because of its tests is not reported: they were. One that failed itself is, and one that
    // is skipped, of which no test is.
    const isReported = type === 'test:fail' ? failure?.failureType !== 'subtestsFailed' : !isSuite || isSkipped
    if (isReported) {
      send({
        type: 'test',
        titles: [...titles.slice(1, nesting), ...(nesting > 0 ? [name] : [])],
        line: data.file?.endsWith('.test.ts') ? (data.line ?? 0) : 0,
        outcome: type === 'test:fail' ? 'failed' : isSkipped ? 'skipped' : 'passed',
        ms: details?.duration_ms ?? 0,
        text: failure !== undefined ? textOf(failure) : isSkipped ? String(data.skip) : '',
        isHung: failure?.failureType === 'testTimeoutFailure',
      })
    }
    if (nesting === 0) send({ type: 'end' })
  }
  yield ''
}

function send(message: WorkerMessage): void {
  process.send?.(message)
}

/** The error as text, without Node's own frames, and without the fields of an assertion, which its message shows. */
function textOf(failure: Failure): string {
  const thrown = failure.cause instanceof Error ? failure.cause : failure
  if (!(failure.cause instanceof Error) && failure.failureType === 'testCodeFailure') return inspect(failure.cause)
  const stack = (thrown.stack ?? String(thrown)).split('\n').filter((line) => !/^ {4}at .*\(?node:/.test(line))
  // What a test threw, where disposing of something failed as well.
  const { cause = thrown instanceof SuppressedError ? thrown.suppressed : undefined } = thrown
  return [stack.join('\n'), ...(cause === undefined ? [] : [`caused by ${inspect(cause)}`])].join('\n')
}
