/**
 * `npm run fuzz`: connections of all kinds against a real service, for as long as told. It prints its seed, and what
 * failed as a file that `--replay` plays again.
 *
 *     npm run fuzz -- --seconds 600 --seed 7 --engine postgres
 *     npm run fuzz -- --replay failure.json
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Connection } from './connections.ts'
import { fuzz, replay } from './fuzz.ts'
import { type Engine, NEEDED, openTarget } from './targets.ts'

interface Transcript {
  readonly engine: Engine
  readonly batch: readonly Connection[]
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    engine: { type: 'string', default: 'both' },
    replay: { type: 'string' },
  },
})

if (values.replay !== undefined) await playAgain(values.replay)
else {
  const engines: readonly Engine[] = (['sqlite', 'postgres'] as const).filter(
    (engine) => values.engine === engine || values.engine === 'both',
  )
  if (engines.length === 0) throw new Error('--engine is sqlite, postgres or both')
  for (const engine of engines) await run(engine, Number(values.seed), Number(values.seconds) / engines.length)
}

async function run(engine: Engine, seed: number, seconds: number): Promise<void> {
  if (NEEDED[engine].skip !== false) {
    console.log(`${engine}: skipped, ${NEEDED[engine].skip}`)
    return
  }
  await using target = await openTarget(engine)
  console.log(`${engine}: seed ${seed}, ${seconds} s`)
  const { connections, acknowledged, failure } = await fuzz(target, { seed, seconds })
  console.log(`${engine}: ${connections} connections, ${acknowledged} animals acknowledged`)
  if (failure === undefined) return
  const file = `fuzz-${engine}-${seed}.json`
  writeFileSync(file, JSON.stringify({ engine, batch: failure.batch } satisfies Transcript, null, 1))
  console.error(`${engine}: ${failure.message}\nThe connections that did it: npm run fuzz -- --replay ${file}`)
  process.exitCode = 1
}

async function playAgain(file: string): Promise<void> {
  const { engine, batch } = JSON.parse(readFileSync(file, 'utf8')) as Transcript
  await using target = await openTarget(engine)
  const wrong = await replay(target, batch)
  console.log(wrong ?? 'nothing is wrong')
  if (wrong !== undefined) process.exitCode = 1
}
