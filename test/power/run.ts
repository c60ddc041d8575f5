/**
 * Power failures in recorded runs of the service and of the commands, as many as told.
 *
 *     npm run test:long -- --only power --states 100000 --seed 7
 */
import { parseArgs } from 'node:util'
import { memoryFolder } from '../support/folder.ts'
import { seededRandom } from '../support/random.ts'
import { failAt, failures } from './fail.ts'
import { record, SCENES } from './scenes.ts'

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    scene: { type: 'string' },
  },
})
const seed = Number(values.seed)
/** Nothing else keeps this process alive while it waits for those that it has started. */
const waiting = setInterval(() => {}, 60_000)
const names = Object.keys(SCENES).filter((name) => values.scene === undefined || values.scene === name)
if (names.length === 0) throw new Error(`--scene is one of ${Object.keys(SCENES).join(', ')}`)
const states = Math.ceil(Number(values.states) / names.length)
for (const name of names) {
  const startMs = performance.now()
  using recording = await record(name)
  const recordedMs = performance.now()
  const entries = recording.entries()
  const random = seededRandom(seed)
  const chosen = failures(entries, states, random)
  const outcome = await failAt(chosen, entries, { recorded: recording.folder, scratch: memoryFolder(), random })
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  console.log(
    `${name}: ${entries.length} entries recorded in ${seconds(recordedMs - startMs)} s; ${outcome.states} states, ${outcome.distinct} databases, in ${seconds(performance.now() - recordedMs)} s; seed ${seed}`,
  )
  if (outcome.violation === undefined) continue
  console.error(outcome.violation)
  process.exitCode = 1
}
clearInterval(waiting)
