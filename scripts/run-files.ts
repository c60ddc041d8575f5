/**
 * Runs test files in a few processes (test-worker.ts), in their order, and prints the results. Its arguments come from
 * test.ts: the number of processes, flags of Node, and the files. A file ends with its first test that hangs: what
 * follows would wait for the same.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import type { TestResult, WorkerMessage } from './test-worker.ts'

interface Failure {
  readonly file: string
  readonly titles: readonly string[]
  readonly line: number
  readonly text: string
}

const ROOT = resolve(import.meta.dirname, '..')
const WORKER = `${ROOT}/scripts/test-worker.ts`
/** Up to this number of files, each test is listed. */
const MOST_LISTED = 10
/** A file that takes longer is ended, also one that blocks its thread and so ignores the timeout of its tests. */
const FILE_MS = 1_200_000
/** What a process may take to end what it has started. */
const END_MS = 30_000
/** Characters of a process's command. */
const MOST_SHOWN = 200
const MARKS = { passed: styleText('green', '✔'), failed: styleText('red', '✖'), skipped: styleText('gray', '﹣') }
/** Files whose tests measure the memory of their process, so that it runs nothing else. */
const OWN_PROCESS = ['test/animals-file/animals-file.test.ts']

const [processes, flags = '[]', ...files] = process.argv.slice(2)
/**
 * With a name pattern each file needs its own process: in one process Node reports nothing of a second file, whose
 * suite begins before the names of its tests are known.
 */
const isByName = flags.includes('--test-name-pattern')
const queue = [...files]
/** Where each file is: its results so far, and the titles of the test that runs. */
const running = new Map<string, { readonly results: TestResult[]; titles: readonly string[] }>()
const counts = { passed: 0, failed: 0, skipped: 0 }
const failures: Failure[] = []
const startMs = performance.now()

process.on('SIGTERM', () => {
  const places = [...running].map(([file, { results, titles }]) => {
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    return `${[file, ...titles].join(' › ')}\n${failed.map((result) => explained({ file, ...result })).join('')}`
  })
  process.stdout.write(`\nInterrupted while running:\n${places.join('')}`, () => process.exit(1))
})
await Promise.all(Array.from({ length: Math.min(Number(processes), files.length) }, work))
process.stdout.write(summary(), () => process.exit(failures.length > 0 ? 1 : 0))

/** Runs one file after the other in a process, until none is left. */
async function work(): Promise<void> {
  let worker: ChildProcess | undefined
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const path = file
    const isAlone = isByName || OWN_PROCESS.some((own) => path.startsWith(own))
    if (isAlone) await stop(worker)
    if (isAlone || worker?.connected !== true) worker = start()
    await run(file, worker)
    if (isAlone) await stop(worker)
  }
  await stop(worker)
}

async function stop(worker: ChildProcess | undefined): Promise<void> {
  if (worker?.connected !== true) return
  const ended = once(worker, 'exit')
  worker.disconnect()
  const [, signal] = await ended
  if (signal !== null)
    failures.push({ file: 'the end of a process', titles: [`${signal}, as above`], line: 0, text: '' })
}

function start(): ChildProcess {
  return fork(WORKER, {
    execArgv: [...JSON.parse(flags), `--test-reporter=${WORKER}`, '--test-reporter-destination=stdout'],
  })
}

/** Resolves when the file has ended, or the process has. */
async function run(file: string, worker: ChildProcess): Promise<void> {
  const begunMs = performance.now()
  const results: TestResult[] = []
  const place = { results, titles: [] as readonly string[] }
  const fail = (text: string, titles: readonly string[] = [], line = 0) => failures.push({ file, titles, line, text })
  running.set(file, place)
  await new Promise<void>((ended) => {
    const kill = () => void worker.kill('SIGKILL')
    let limit = setTimeout(kill, FILE_MS)
    const hear = (message: WorkerMessage) => {
      if (!worker.connected) return
      if (message.type === 'start') place.titles = message.titles
      if (message.type === 'stray') fail(`An error that no test waited for:\n${message.text}`)
      if (message.type === 'end') end()
      if (message.type !== 'test') return
      results.push(message.isHung ? { ...message, text: `${message.text}\n${processesBelow(worker.pid)}` } : message)
      if (!message.isHung) return
      worker.disconnect()
      clearTimeout(limit)
      limit = setTimeout(kill, END_MS)
    }
    const die = (code: number | null, signal: string | null) => {
      if (!results.some(({ isHung }) => isHung))
        fail(`Its process ended with ${code ?? signal} before its tests, in “${place.titles.join(' › ')}”.`)
      end()
    }
    const end = () => {
      clearTimeout(limit)
      worker.off('message', hear).off('exit', die)
      ended()
    }
    worker.on('message', hear).on('exit', die).send(resolve(ROOT, file))
  })
  running.delete(file)
  for (const { outcome, titles, line, text } of results) {
    counts[outcome] += 1
    if (outcome === 'failed') fail(text, titles, line)
  }
  process.stdout.write(reportOn(file, results, performance.now() - begunMs))
}

/** What a process has started, with the processor's time and what each waits for: where a test hangs, one of them may. */
function processesBelow(root: number | undefined): string {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,time=,wchan=,args='], { encoding: 'utf8' })
  const all = (stdout ?? '').split('\n').map((line) => ({ line, ids: line.trim().split(/ +/, 2).map(Number) }))
  const below = (parent: number | undefined): string[] =>
    all.filter(({ ids }) => ids[1] === parent).flatMap(({ line, ids }) => [line.slice(0, MOST_SHOWN), ...below(ids[0])])
  return ['What follows it was left out. Its processes:', ...below(root)].join('\n')
}

function reportOn(file: string, results: readonly TestResult[], tookMs: number): string {
  const its = failures.filter((failure) => failure.file === file)
  const isListed = files.length <= MOST_LISTED
  const tests = results
    .filter(({ outcome }) => isListed || outcome === 'skipped')
    .map(({ outcome, titles, ms, text }) => {
      const more = outcome === 'skipped' ? `: ${text}` : ` (${Math.round(ms)} ms)`
      return `  ${MARKS[outcome]} ${titles.join(' › ')}${styleText('gray', more)}\n`
    })
  const seconds = (tookMs / 1_000).toFixed(1)
  const head = `${MARKS[its.length > 0 ? 'failed' : 'passed']} ${file} ${styleText('gray', `${results.length} tests, ${seconds} s`)}\n`
  return [head, ...tests, ...its.map(explained)].join('')
}

function explained({ file, titles, line, text }: Failure): string {
  const indented = text.replaceAll(/^/gm, '    ')
  return `\n  ${styleText('red', titles.join(' › ') || file)}\n    at ${file}${line === 0 ? '' : `:${line}`}\n${indented}\n    Alone: ${aloneCommand({ file, titles })}\n\n`
}

/** The command that runs failed tests alone. Node reads titles as patterns, so special characters are escaped. */
function aloneCommand({ file, titles }: Pick<Failure, 'file' | 'titles'>): string {
  const title = titles.join(' ')
  if (title === '') return `npm test -- ${file}`
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll("'", '.')
  return `npm test -- ${file} --test-name-pattern='${pattern}'`
}

function summary(): string {
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  const tests = counts.passed + counts.failed + counts.skipped
  const lines = failures.map((failure) => `${MARKS.failed} ${failure.file}: ${failure.titles.join(' › ')}\n`)
  return `\n${tests} tests in ${files.length} files, ${seconds} s: ${counts.passed} passed, ${counts.skipped} skipped, ${failures.length} failed\n${lines.join('')}`
}
