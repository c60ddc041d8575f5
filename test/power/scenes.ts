/**
 * What is recorded: the real service and the real commands at work, with a mark for each act as it begins and is
 * acknowledged.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf } from '../strain/lines.ts'
import { labelOf } from '../strain/model.ts'
import type { Step } from '../strain/plan.ts'
import { COMMIT_OF_1_0_0, treeOf } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createdId, pets, type RunningService, startService } from '../support/service.ts'
import type { Act, Mark } from './expectation.ts'
import { Recording } from './record.ts'

/** Counts are at most 100 ms and two syncs of the disk behind; the two syncs are those of two creates. */
const COUNTED_AFTER_MS = 100
const CLIENTS = 3

/** A scene at work: a recording, and the acts in it. */
class Scene {
  readonly recording: Recording
  readonly env: Record<string, string>
  #n = 0
  #created = 0

  constructor(recording: Recording, env: Readonly<Record<string, string>>) {
    this.recording = recording
    this.env = { ...recording.env, ...env }
  }

  get database(): string {
    return `sqlite:${this.recording.folder}/data/pets.db`
  }

  /** Marks an act and does it. `work` returns the id of an animal, if it made one. */
  async #act(act: Act, work: () => Promise<number | undefined>, n = this.#next()): Promise<void> {
    this.recording.mark({ n, phase: 'begun', act } satisfies Mark)
    const id = await work()
    this.recording.mark({ n, phase: 'done', act, ...(id !== undefined && { id: String(id) }) } satisfies Mark)
  }

  #next(): number {
    this.#n += 1
    return this.#n
  }

  /** A command of `rows` in its file; `root` is another version of the program. Returns what it printed. */
  async command(
    act: Step['act'],
    argsOf: (step: Step) => readonly string[],
    { about = [], rows = 0, root }: { about?: readonly string[]; rows?: number; root?: string | undefined } = {},
  ): Promise<string> {
    const step: Step = { n: this.#next(), act, rows, picks: [], cut: undefined, isOther: false }
    let printed = ''
    const work = async () => {
      printed = await this.run(argsOf(step), root)
      return undefined
    }
    await this.#act({ step, about, isOfEarlierVersion: root !== undefined }, work, step.n)
    return printed
  }

  /** Runs a command to its end; of a service that is its stop. */
  async run(args: readonly string[], root?: string): Promise<string> {
    if (args[0] === 'serve') {
      const service = await startService({ database: this.database, env: this.env, args: args.slice(1) })
      assert.equal(await service.stop(), 0)
      return ''
    }
    const options = { env: this.env, ...(root !== undefined && { root }) }
    const { code, stdout, stderr } = await pets([...args, '--database', this.database], options)
    assert.equal(code, 0, stderr)
    return stdout
  }

  async issue(root?: string): Promise<{ readonly key: string; readonly id: string }> {
    const args = ['keys', 'create', '--create', '--json', '--plan', 'business', '--label']
    return JSON.parse(await this.command('create key', (step) => [...args, labelOf(step)], { root }))
  }

  async revoke(id: string): Promise<void> {
    await this.command('revoke key', () => ['keys', 'revoke', id], { about: [id] })
  }

  async import(rows: number, root?: string): Promise<void> {
    const folder = temporaryFolder()
    const file = (step: Step) => fileOf(step, { file: (name) => join(folder, name) })
    await this.command('import', (step) => ['import', '--create', file(step)], { rows, root })
  }

  async createMany(service: RunningService, key: string, name: string, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await this.#act({ create: `${name}-${n}` }, () => createdId(service, key, `${name}-${n}`))
      this.#created += 1
    }
  }

  /** The time after which requests are saved, and the two creates after which they are on the disk. */
  async count(service: RunningService, key: string): Promise<void> {
    await this.#act({ count: this.#created }, async () => {
      await pause(COUNTED_AFTER_MS)
      await this.createMany(service, key, 'counted', 2)
      return undefined
    })
  }
}

export const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  /**
   * Animals, keys and counters: from several clients, past a checkpoint, beside commands; a kill, a start and a stop.
   */
  async service(scene) {
    const { key } = await scene.issue()
    const first = await startService({ database: scene.database, env: scene.env })
    const clients = Array.from({ length: CLIENTS }, (_, n) => scene.createMany(first, key, `c${n}`, 30))
    const guest = await scene.issue()
    await Promise.all(clients)
    await Promise.all([scene.revoke(guest.id), scene.createMany(first, key, 'beside', 30)])
    await scene.count(first, key)
    await scene.import(1_000)
    await scene.createMany(first, key, 'late', 110)
    await first.kill()
    const second = await startService({ database: scene.database, env: scene.env })
    await scene.createMany(second, key, 'again', 30)
    assert.equal(await second.stop(), 0)
  },

  async start(scene) {
    await scene.command('first key', () => ['serve', '--first-key'])
  },

  /** The commands that change a database as a whole, and what they leave beside it. */
  async commands(scene) {
    scene.recording.give('saved')
    await scene.issue()
    await scene.import(400)
    await scene.import(300)
    await scene.command('undo', () => ['imports', 'undo', '1'], { about: ['1'] })
    const about = ['saved/pets.db']
    const file = join(scene.recording.folder, 'saved/pets.db')
    await scene.command('backup', () => ['backup', file], { about })
    const { id } = await scene.issue()
    await scene.revoke(id)
    await scene.import(200)
    await scene.command('restore', () => ['restore', file], { about })
    await scene.issue()
  },

  /** A database of 1.0.0, brought up to date by the first command of today. */
  async migration(scene) {
    const earlier = await treeOf(COMMIT_OF_1_0_0)
    scene.recording.give('data')
    const { id } = await scene.issue(earlier)
    await scene.import(500, earlier)
    await scene.run(['keys', 'list'])
    await scene.revoke(id)
    await scene.import(100)
  },
}

/** Plays a scene. `env` is for its processes. The caller disposes of the recording. */
export async function record(name: string, env: Readonly<Record<string, string>> = {}): Promise<Recording> {
  const play = SCENES[name]
  if (play === undefined) throw new Error(`there is no scene ${name}`)
  const recording = new Recording()
  await play(new Scene(recording, env))
  return recording
}
