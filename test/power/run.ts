/** Power failures in recorded runs of the service and of the commands, as many as told. */
import { memoryFolder } from '../support/folder.ts'
import { chosen, runPart } from '../support/part.ts'
import { seededRandom } from '../support/random.ts'
import { failAt, failures } from './fail.ts'
import { record, SCENES } from './scenes.ts'

await runPart('power', { states: '5000', scene: 'all' }, async function* (options, seed) {
  const scenes = chosen('scene', options.scene, Object.keys(SCENES))
  for (const scene of scenes) {
    using recording = await record(scene)
    const entries = recording.entries()
    const random = seededRandom(seed)
    const those = failures(entries, Math.ceil(Number(options.states) / scenes.length), random)
    const { violation, states, distinct } = await failAt(those, entries, {
      recorded: recording.folder,
      scratch: memoryFolder(),
      random,
    })
    const failure = violation === undefined ? undefined : { message: violation, again: { scene } }
    yield { of: scene, figures: { entries: entries.length, states, databases: distinct }, failure }
  }
})
