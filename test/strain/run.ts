/** Commands at once, beside a service, cut at any moment, held against a model, for as long as told. */
import { chosen, runPart } from '../support/part.ts'
import { strain } from './strain.ts'

await runPart('strain', { seconds: '240', engine: 'both' }, async function* ({ seconds, engine }, seed) {
  const engines = chosen('engine', engine, ['sqlite', 'postgres'], 'both')
  for (const of of engines) {
    const plan = { seed, seconds: Number(seconds) / engines.length, shrinkSeconds: 60 }
    yield { of, ...(await strain(of, plan)) }
  }
})
