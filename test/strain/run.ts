/**
 * Commands at once, beside a service, cut at any moment, held against a model, for as long as told.
 *
 *     npm run test:long -- --only strain --seconds 600 --seed 7 --engine postgres
 *
 * It prints its seed, and what failed as lines for a shell.
 */
import { parseArgs } from 'node:util'
import { type Engine, strain } from './strain.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    engine: { type: 'string', default: 'both' },
  },
})
const engines: readonly Engine[] = (['sqlite', 'postgres'] as const).filter(
  (engine) => values.engine === engine || values.engine === 'both',
)
if (engines.length === 0) throw new Error('--engine is sqlite, postgres or both')
for (const engine of engines) {
  const seconds = Number(values.seconds) / engines.length
  const { figures, failure } = await strain(engine, { seed: Number(values.seed), seconds, shrinkSeconds: 60 })
  const told = Object.entries(figures).map(([what, n]) => `${n} ${what}`)
  console.log(`${engine}: from seed ${values.seed}, ${seconds} s: ${told.join(', ')}`)
  if (figures.rounds === 0) {
    console.error(`${engine}: the time was over before one round had been played; give it more --seconds.`)
    process.exitCode = 1
  }
  if (failure === undefined) continue
  const { seed, rounds, message, lines } = failure
  console.error(
    `${engine}: ${message}\n\n${lines.join('\n')}\n\n${rounds} rounds; again: npm run test:long -- --only strain --engine ${engine} --seed ${seed}`,
  )
  process.exitCode = 1
}
