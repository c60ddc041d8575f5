/** Runs a suite on each engine, which stops after what the suite started. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Clock } from '../../src/common/clock.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { storeEngines } from './engines.ts'

interface SuiteEngine {
  readonly name: string
  /** The URL of a new database without anything in it; from the suite's hooks and tests only. */
  createDatabase(): Promise<string>
  readonly test: StoreTest
  testOn(options: StoreOptions): StoreTest
}

type StoreTest = (title: string, work: (store: Store) => Promise<void>) => void

interface StoreOptions {
  /** As the service opens it; on SQLite its writes go through the thread. */
  readonly serving?: boolean
  readonly clock?: Clock
}

export function onEachEngine(title: (name: string) => string, suite: (engine: SuiteEngine) => void): void {
  for (const engine of storeEngines) {
    const { name, needed } = engine
    describe(title(name), needed, () => {
      let running: Awaited<ReturnType<typeof engine.start>> | undefined
      before(async () => {
        running = await engine.start()
      })
      const own = {
        name,
        async createDatabase() {
          assert(running !== undefined, 'the engine is not started yet')
          return running.createDatabase()
        },
      }
      const testOn = (options: StoreOptions): StoreTest => {
        return (title, work) => void it(title, () => withNewStore(own, work, options))
      }
      suite({ ...own, testOn, test: testOn({}) })
      // Hooks run in the order in which they are given: this one after those of the suite.
      after(() => running?.stop())
    })
  }
}

export async function withNewStore(
  engine: Pick<SuiteEngine, 'createDatabase'>,
  work: (store: Store) => Promise<void>,
  { serving = false, clock = patientClock }: StoreOptions = {},
): Promise<void> {
  const store = await openStore(await engine.createDatabase(), { serving, clock })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
