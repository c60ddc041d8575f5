/** Long random histories of the whole service, held to the model. */
import { keepCompiledCode } from '../../src/cli/compile-cache.js'
import type { Plan } from './histories.ts'
import { playInShelter } from './in-shelter.ts'
import { playOnNodes } from './nodes.ts'
import { runPart } from './part.ts'

const SHRINK_MS = 60_000
const ENGINES = ['sqlite', 'postgres', 'cluster'] as const

// Each start of a service begins a thread, which loads three times faster so.
keepCompiledCode()
const usual = { runs: '1000', steps: '200', engine: 'sqlite', path: '', 'replay-path': '' }
await runPart('histories', usual, async function* ({ runs, steps, path, 'replay-path': replayPath, ...options }, seed) {
  const place = path !== '' && { path, replayPath }
  const plan: Plan = { seed, runs: Number(runs), steps: Number(steps), shrinkMs: SHRINK_MS, ...place }
  const engines = ENGINES.filter((name) => options.engine === name || options.engine === 'all')
  if (engines.length === 0) throw new Error(`--engine is one of ${ENGINES.join(', ')}, all`)
  for (const engine of engines) {
    const played = await (engine === 'sqlite' ? playInShelter(plan) : playOnNodes(plan, engine))
    const { failure, ...figures } = played
    yield { of: engine, figures, failure }
  }
})
