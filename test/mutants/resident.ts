/**
 * A test runner for StrykerJS that stays: it loads the tests of a room once and then shows them one mutant after the
 * other, within milliseconds, where a process for each file takes seconds. A mutant of what is done while a module is
 * loaded gets a process of its own, and so does the one behind a mutant that left something running.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { HangWatch } from './hang.ts'
import { type Do, described, runThrough, Suite } from './node-test.ts'
import { isDrawn, type Sample } from './sample.ts'

/** As run.ts gives them. */
interface Settings {
  readonly files: readonly string[]
  readonly skip?: string
  readonly sample: Sample
}

/** What StrykerJS's instrumented code and this file tell each other. */
interface Instruments {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

interface MutantRun {
  readonly testFilter?: readonly string[]
  readonly hitLimit?: number
  readonly activeMutant: { readonly id: string }
  readonly mutantActivation: 'static' | 'runtime'
}

/** What is run as a whole: the tests of a suite may need those before them. Its file has the hooks around it. */
interface Unit {
  readonly id: string
  readonly file: Suite
}

/** What the first process notes for those that come after it: how long each unit took, and the longest time idle. */
interface Noted {
  readonly ms: Readonly<Record<string, number>>
  readonly longestIdleMs: number
}

/** StrykerJS's `TestStatus`. */
const PASSED = 0
const FAILED = 1
const NOTES = '.resident.json'
/** For so long behind a mutant that was noticed, what else fails is still for it. */
const QUIET_MS = 50
const LOOK_MS = 50
/** What does nothing for so long, and for so much longer than it ever did without a mutant, waits for nothing. */
const IDLE_MS = 1_500
const IDLE_FACTOR = 2
/** More than any step of a test computes, in µs. */
const MOST_US = 8_000_000
/** Of the time between two looks. */
const IDLE_SHARE = 0.2

class Resident {
  readonly #settings: Settings
  readonly #instruments: Instruments
  readonly #hangs = new HangWatch()
  #units: readonly Unit[] | undefined
  #longestIdleMs = 0
  #isSpoilt = false
  #fail: (failure: unknown) => void = () => {}

  constructor(options: { readonly resident: Settings }) {
    this.#settings = options.resident
    const known = globalThis as { __stryker__?: Instruments }
    known.__stryker__ ??= {}
    this.#instruments = known.__stryker__
    process.removeAllListeners('unhandledRejection')
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (failure: unknown) => this.#fail(failure))
    }
  }

  capabilities() {
    return { reloadEnvironment: false }
  }

  async dryRun() {
    const tests = []
    const ms: Record<string, number> = {}
    for (const { id, file } of await this.#load()) {
      this.#instruments.currentTestId = id
      const begunMs = performance.now()
      const failureMessage = await this.#failureOf(file, true)
      ms[id] = performance.now() - begunMs
      const result = { id, name: id, timeSpentMs: ms[id] }
      tests.push(
        failureMessage === undefined ? { ...result, status: PASSED } : { ...result, status: FAILED, failureMessage },
      )
    }
    this.#instruments.currentTestId = undefined
    writeFileSync(NOTES, JSON.stringify({ ms, longestIdleMs: this.#longestIdleMs } satisfies Noted))
    return { status: 'complete', tests, mutantCoverage: this.#instruments.mutantCoverage }
  }

  async mutantRun({ testFilter, hitLimit, activeMutant, mutantActivation }: MutantRun) {
    // StrykerJS leaves what ends in an error out of the score.
    if (!isDrawn(activeMutant.id, this.#settings.sample)) return { status: 'error', errorMessage: 'not drawn' }
    if (this.#isSpoilt) throw new Error('something still runs; StrykerJS starts another process')
    if (this.#hangs.begin(activeMutant.id)) return { status: 'timeout', reason: 'a loop without end' }
    if (mutantActivation === 'static') this.#instruments.activeMutant = activeMutant.id
    const { ms, longestIdleMs } = JSON.parse(readFileSync(NOTES, 'utf8')) as Noted
    this.#longestIdleMs = longestIdleMs
    const all = await this.#load().catch(String)
    if (typeof all === 'string') return { status: 'killed', killedBy: [], failureMessage: all, nrOfTests: 0 }
    const units = all
      .filter(({ id }) => testFilter?.includes(id) !== false)
      .sort((a, b) => (ms[a.id] ?? 0) - (ms[b.id] ?? 0))
    Object.assign(this.#instruments, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 })
    this.#instruments.activeMutant = activeMutant.id
    // For threads.
    process.env.__STRYKER_ACTIVE_MUTANT__ = activeMutant.id
    try {
      for (const [index, { id, file }] of units.entries()) {
        const failureMessage = await this.#failureOf(file, false)
        if (this.#isOverLimit()) return { status: 'timeout', reason: 'a loop without end' }
        if (failureMessage === undefined) continue
        // What else comes of it is not taken for the next one's.
        this.#instruments.activeMutant = undefined
        await sleep(QUIET_MS)
        return { status: 'killed', killedBy: [id], failureMessage, nrOfTests: index + 1 }
      }
      return { status: 'survived', nrOfTests: units.length }
    } finally {
      this.#instruments.activeMutant = undefined
      delete process.env.__STRYKER_ACTIVE_MUTANT__
    }
  }

  #isOverLimit(): boolean {
    const { hitCount, hitLimit } = this.#instruments
    return hitCount !== undefined && hitLimit !== undefined && hitCount > hitLimit
  }

  async #load(): Promise<readonly Unit[]> {
    if (this.#units !== undefined) return this.#units
    redirect(process.cwd())
    const skip = this.#settings.skip === undefined ? undefined : new RegExp(this.#settings.skip)
    const units: Unit[] = []
    for (const name of this.#settings.files) {
      units.push(...unitsOf(await described(name, skip, () => import(pathToFileURL(resolve(name)).href))))
    }
    this.#units = units
    return units
  }

  /** Runs a unit; what is wrong, or undefined. */
  async #failureOf(file: Suite, isMeasured: boolean): Promise<string | undefined> {
    const run: Do = async (step) => {
      const over = Promise.withResolvers<never>()
      this.#fail = over.reject
      const watch = this.#watchIdling(isMeasured, over.reject)
      try {
        await Promise.race([(async () => step())(), over.promise])
      } finally {
        clearInterval(watch)
        this.#fail = () => {}
      }
    }
    try {
      await runThrough(file, run)
      return undefined
    } catch (failure) {
      return String(failure).slice(0, 2_000)
    }
  }

  /** What waits for nothing any more is ended, however long the machine takes for what is done. */
  #watchIdling(isMeasured: boolean, end: (failure: unknown) => void): NodeJS.Timeout {
    let before = performance.eventLoopUtilization()
    let idleMs = 0
    const mostMs = Math.max(IDLE_MS, IDLE_FACTOR * this.#longestIdleMs)
    const begun = process.cpuUsage()
    return setInterval(() => {
      const { user, system } = process.cpuUsage(begun)
      if (!isMeasured && user + system > MOST_US) {
        this.#isSpoilt = true
        end(new Error('it computes without end'))
      }
      const now = performance.eventLoopUtilization()
      const { utilization, idle } = performance.eventLoopUtilization(now, before)
      before = now
      idleMs = utilization < IDLE_SHARE ? idleMs + idle : 0
      if (isMeasured) this.#longestIdleMs = Math.max(this.#longestIdleMs, idleMs)
      else if (idleMs > mostMs) {
        this.#isSpoilt = true
        end(new Error('it waits for nothing'))
      }
    }, LOOK_MS)
  }
}

/** Each suite of a file is a unit, and each single test, between the hooks of the file. */
function unitsOf({ name, children, hooks }: Suite): readonly Unit[] {
  return children.map((child) => {
    const file = new Suite(name)
    file.children.push(child)
    for (const hook of Object.keys(hooks) as (keyof typeof hooks)[]) file.hooks[hook].push(...hooks[hook])
    return { id: `${name}: ${child.name}`, file }
  })
}

/**
 * Gives the tests in the sandbox our `node:test`, and has the writer of SQLite write in this thread, where a mutant of
 * it is seen, and started in a quarter of the time.
 */
function redirect(sandbox: string): void {
  const inSandbox = (path: string) => pathToFileURL(`${sandbox}/${path}`).href
  registerHooks({
    resolve(specifier, context, next) {
      const from = context.parentURL ?? ''
      if (specifier === 'node:test' && from.startsWith(inSandbox('test/'))) {
        return { url: new URL('node-test.ts', import.meta.url).href, shortCircuit: true }
      }
      if (from === inSandbox('src/store/sqlite/writing/writer-thread.ts') && specifier.endsWith('/program.ts')) {
        return { url: inSandbox('test/mutants/thread-here.ts'), shortCircuit: true }
      }
      return next(specifier, context)
    },
  })
}

export const strykerPlugins = [
  {
    kind: 'TestRunner',
    name: 'resident',
    factory: Object.assign((options: { readonly resident: Settings }) => new Resident(options), {
      inject: ['options'],
    }),
  },
]
