/**
 * A reporter that ends test files that have been silent for too long: a file that blocks its own thread never reaches a
 * timeout, and the run would wait for it forever. The file, and everything that it has started, is killed; the runner
 * counts it as failed and continues. PETS_TEST_STUCK_MS sets the time.
 */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const STUCK_MS = Number(process.env.PETS_TEST_STUCK_MS)
const LOOK_MS = Math.min(5_000, STUCK_MS / 4)

export default async function* endStuckFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** When each running file last reported something, on the clock of performance.now(). */
  const heardMs = new Map<string, number>()
  const ended: string[] = []
  const timer = setInterval(() => {
    for (const [file, atMs] of heardMs) {
      if (performance.now() - atMs < STUCK_MS) continue
      heardMs.delete(file)
      ended.push(file)
      killWithDescendants(file)
    }
  }, LOOK_MS)
  for await (const { type, data } of events) {
    if (type !== 'test:dequeue' && type !== 'test:complete') continue
    if (data.file === undefined) continue
    const isWhole = type === 'test:complete' && data.nesting === 0 && data.file.endsWith(data.name)
    if (isWhole) heardMs.delete(data.file)
    else heardMs.set(data.file, performance.now())
    for (const file of ended.splice(0)) yield `${file} was ended: nothing was heard of it for ${STUCK_MS} ms\n`
  }
  clearInterval(timer)
}

/** Kills this process's child that runs the file, and everything below it. */
function killWithDescendants(file: string): void {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', timeout: 30_000 }).split('\n')
  const processes = lines.map((line) => /^ *(\d+) +(\d+) (.*)$/.exec(line)?.slice(1) ?? [])
  const isTest = ([, parent, args]: string[]) =>
    Number(parent) === process.pid && resolve(args?.split(' ').at(-1) ?? '') === file
  const doomed = processes.filter(isTest).map(([pid]) => pid)
  // The list grows during the loop.
  for (const pid of doomed) doomed.push(...processes.filter(([, parent]) => parent === pid).map(([child]) => child))
  for (const pid of doomed) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // it has just ended by itself
    }
  }
}
