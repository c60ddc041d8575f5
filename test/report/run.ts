/** The reports of many random histories on one engine, held to a model. */
import { inspect } from 'node:util'
import { storeEngines } from '../store/engines.ts'
import { chosen, type Failure, runPart } from '../support/part.ts'
import { assertHistories } from './histories.ts'

/** Histories of one database; the next has the next seed. */
const TOGETHER = 25
const NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

await runPart('reports', { histories: '1000', engine: 'sqlite' }, async function* ({ histories, engine }, seed) {
  for (const of of chosen('engine', engine, Object.keys(NAMES))) {
    const running = await storeEngines.find(({ name }) => name === NAMES[of])?.start()
    let played = 0
    let failure: Failure | undefined
    try {
      while (played < Number(histories)) {
        await assertHistories((await running?.createDatabase()) ?? '', seed + played / TOGETHER, TOGETHER)
        played += TOGETHER
      }
    } catch (error) {
      const again = { seed: seed + played / TOGETHER, histories: TOGETHER }
      failure = { message: inspect(error), again }
    } finally {
      await running?.stop()
    }
    yield { of, figures: { histories: played }, failure }
  }
})
