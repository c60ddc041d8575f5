/**
 * `node:test` for tests that are run again and again in one process: a file is loaded once, and what it has described
 * is run as often as wanted. It has what the files of the rooms use, and no output.
 */
import { mock } from 'node:test'

export { mock }

type Work = (context: TestContext) => unknown
type Settings = { readonly skip?: boolean | string }
type Hook = 'before' | 'after' | 'beforeEach' | 'afterEach'

interface TestContext {
  readonly name: string
  readonly mock: typeof mock
  after(work: Work): void
}

interface Test {
  readonly name: string
  readonly work: Work
}

export class Suite {
  readonly name: string
  readonly children: (Suite | Test)[] = []
  readonly hooks: Record<Hook, Work[]> = { before: [], after: [], beforeEach: [], afterEach: [] }

  constructor(name: string) {
    this.name = name
  }
}

/** In which suite is described what is described now. */
let current = new Suite('')
/** What is skipped, by its name. */
let skipped: RegExp | undefined

/** Loads a file and returns what it describes. */
export async function described(file: string, skip: RegExp | undefined, load: () => Promise<unknown>): Promise<Suite> {
  current = new Suite(file)
  skipped = skip
  await load()
  return current
}

export function describe(name: string, ...rest: readonly [Settings, () => void] | readonly [() => void]): void {
  const [fill, settings] = parted(rest)
  if (isSkipped(name, settings)) return
  const outer = current
  current = new Suite(name)
  fill()
  if (current.children.length > 0) outer.children.push(current)
  current = outer
}

export function it(name: string, ...rest: readonly [Settings, Work] | readonly [Work]): void {
  const [work, settings] = parted(rest)
  if (!isSkipped(name, settings)) current.children.push({ name, work })
}

export const before = (work: Work) => void current.hooks.before.push(work)
export const after = (work: Work) => void current.hooks.after.push(work)
export const beforeEach = (work: Work) => void current.hooks.beforeEach.push(work)
export const afterEach = (work: Work) => void current.hooks.afterEach.push(work)

function parted<W>(rest: readonly [Settings, W] | readonly [W]): readonly [W, Settings] {
  return rest.length === 1 ? [rest[0], {}] : [rest[1], rest[0]]
}

function isSkipped(name: string, { skip }: Settings): boolean {
  return Boolean(skip) || skipped?.test(name) === true
}

/** How a step is done: it throws what went wrong, or that it has taken too long. */
export type Do = (step: () => unknown) => Promise<void>

/** Runs a suite or a test up to the first failure, which it throws; what ends it is done whatever happens. */
export async function runThrough(node: Suite | Test, run: Do, outer: readonly Suite[] = []): Promise<void> {
  if (!(node instanceof Suite)) return runTest(node, run, outer)
  const endings = node.hooks.after.map((hook) => () => hook(contextOf(node.name)))
  await untilTheFirstFailure(
    [
      ...node.hooks.before.map((hook) => () => run(() => hook(contextOf(node.name)))),
      ...node.children.map((child) => () => runThrough(child, run, [...outer, node])),
    ],
    endings.map((ending) => () => run(ending)),
  )
}

async function runTest({ name, work }: Test, run: Do, outer: readonly Suite[]): Promise<void> {
  const endings: Work[] = []
  const context = { ...contextOf(name), after: (ending: Work) => void endings.push(ending) }
  const hooks = (hook: Hook, suites: readonly Suite[]) =>
    suites.flatMap((suite) => suite.hooks[hook]).map((each) => () => run(() => each(context)))
  await untilTheFirstFailure(
    [...hooks('beforeEach', outer), () => run(() => work(context))],
    [
      async () => {
        for (const ending of endings) await run(() => ending(context))
      },
      ...hooks('afterEach', outer.toReversed()),
    ],
  )
}

async function untilTheFirstFailure(
  steps: readonly (() => Promise<void>)[],
  endings: readonly (() => Promise<void>)[],
): Promise<void> {
  const failures: unknown[] = []
  const attempt = (step: () => Promise<void>) => step().catch((failure: unknown) => void failures.push(failure))
  for (const step of steps) {
    await attempt(step)
    if (failures.length > 0) break
  }
  for (const ending of endings) await attempt(ending)
  if (failures.length > 0) throw failures[0]
}

function contextOf(name: string): TestContext {
  return {
    name,
    mock,
    after() {
      throw new Error('only a test has what is done after it')
    },
  }
}
