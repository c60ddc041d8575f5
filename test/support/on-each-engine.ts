/**
 * Suites that run on several engines, each of which is started before its tests and stopped after what the suite itself
 * started.
 */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { type StoreEngine, storeEngines } from '../store/engines.ts'

const SQLITE = storeEngines.filter(({ name }) => name === 'SQLite')
/** One engine of each kind; what stands between PostgreSQL and its clients is the store suites'. */
const ENGINE_KINDS = storeEngines.filter(({ name }) => !name.includes('PgBouncer'))

interface SuiteEngine {
  readonly name: string
  /** The URL of a new database without anything in it; from the suite's hooks and tests only. */
  createDatabase(): Promise<string>
}

export function onEachEngine(
  title: (name: string) => string,
  suite: (engine: SuiteEngine) => void,
  engines: readonly StoreEngine[] = ENGINE_KINDS,
): void {
  for (const engine of engines) {
    const { name, needed } = engine
    describe(title(name), needed, () => {
      let running: Awaited<ReturnType<typeof engine.start>> | undefined
      before(async () => {
        running = await engine.start()
      })
      suite({
        name,
        async createDatabase() {
          assert(running !== undefined, 'the engine is not started yet')
          return running.createDatabase()
        },
      })
      // Hooks run in the order in which they are given: this one after those of the suite.
      after(() => running?.stop())
    })
  }
}

/** For what lies above the store, whose suites run on each engine. */
export function onSqlite(title: (name: string) => string, suite: (engine: SuiteEngine) => void): void {
  onEachEngine(title, suite, SQLITE)
}
