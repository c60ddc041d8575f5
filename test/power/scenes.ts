/**
 * What is recorded: the real service and the real commands at work, with a mark for each act as it begins and is
 * acknowledged.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LARGE, pause } from '../support/durability.ts'
import { COMMIT_OF_1_0_0, treeOf } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { pets, startService } from '../support/service.ts'
import type { Act, Mark } from './expectation.ts'
import { Recording } from './record.ts'

/** Counts are at most 100 ms and two syncs of the disk behind; the two syncs are those of two creates. */
const COUNTED_AFTER_MS = 100
const CLIENTS = 3
/** As the service labels it. */
const FIRST_KEY = 'first key'

/** A scene at work: a recording, and the acts in it. */
class Scene {
  readonly recording: Recording
  readonly env: Record<string, string>
  #n = 0

  constructor(recording: Recording, env: Readonly<Record<string, string>>) {
    this.recording = recording
    this.env = { ...recording.env, ...env }
  }

  get database(): string {
    return `sqlite:${this.recording.folder}/data/pets.db`
  }

  /** Marks an act and does it. `work` returns the id of an animal, if it made one. */
  async act(act: Act, work: () => Promise<number | undefined>): Promise<void> {
    this.#n += 1
    const n = this.#n
    this.recording.mark({ n, phase: 'begun', act } satisfies Mark)
    const id = await work()
    this.recording.mark({ n, phase: 'done', act, ...(id !== undefined && { id }) } satisfies Mark)
  }

  /** Runs a command to its end; `root` is another version of the program. Returns what it printed. */
  async run(args: readonly string[], root?: string): Promise<string> {
    const options = { env: this.env, ...(root !== undefined && { root }) }
    const { code, stdout, stderr } = await pets([...args, '--database', this.database], options)
    assert.equal(code, 0, stderr)
    return stdout
  }

  command(act: Act, args: readonly string[], root?: string): Promise<void> {
    return this.act(act, async () => void (await this.run(args, root)))
  }

  /** Returns the key and its id. */
  async issue(label: string, root?: string): Promise<{ readonly key: string; readonly id: string }> {
    let made = { key: '', id: '' }
    await this.act({ act: 'issue', key: label }, async () => {
      const args = ['keys', 'create', '--create', '--json', '--label', label, '--plan', ...LARGE]
      made = JSON.parse(await this.run(args, root))
      return undefined
    })
    return made
  }

  revoke(label: string, id: string): Promise<void> {
    return this.command({ act: 'revoke', key: label }, ['keys', 'revoke', id])
  }

  import(prefix: string, animals: number, root?: string): Promise<void> {
    const file = join(temporaryFolder(), 'animals.csv')
    const rows = Array.from({ length: animals }, (_, n) => `${prefix}.${n},7,available\n`)
    writeFileSync(file, `name,categoryId,status\n${rows.join('')}`)
    return this.command({ act: 'import', prefix, animals }, ['import', '--create', file], root)
  }

  create(port: number, key: string, animal: string): Promise<void> {
    return this.act({ act: 'create', animal }, async () => {
      const { status, body } = await call(port, {
        method: 'POST',
        key,
        body: JSON.stringify({ name: animal, categoryId: 1 }),
      })
      assert.equal(status, 201, body)
      return (JSON.parse(body) as { id: number }).id
    })
  }

  async createMany(port: number, key: string, name: string, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.create(port, key, `${name}-${n}`)
  }
}

export const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  /**
   * Animals, keys and counters: from several clients, past a checkpoint, beside commands; a kill, a start and a stop.
   */
  async service(scene) {
    const { key } = await scene.issue('desk')
    const first = await startService({ database: scene.database, env: scene.env })
    const port = first.port
    const clients = Array.from({ length: CLIENTS }, (_, n) => scene.createMany(port, key, `c${n}`, 30))
    const guest = await scene.issue('guest')
    await Promise.all(clients)
    await Promise.all([scene.revoke('guest', guest.id), scene.createMany(port, key, 'beside', 30)])
    await count(scene, port, key)
    await scene.import('kittens', 1_000)
    await scene.createMany(port, key, 'late', 110)
    await first.kill()
    const second = await startService({ database: scene.database, env: scene.env })
    await scene.createMany(second.port, key, 'again', 30)
    assert.equal(await second.stop(), 0)
  },

  /** The first start, which makes everything. */
  async start(scene) {
    await scene.act({ act: 'start', key: FIRST_KEY }, async () => {
      const service = await startService({ database: scene.database, env: scene.env, args: ['--first-key'] })
      assert.equal(await service.stop(), 0)
      return undefined
    })
  },

  /** The commands that change a database as a whole, and what they leave beside it. */
  async commands(scene) {
    scene.recording.give('saved')
    await scene.issue('first')
    await scene.import('dogs', 400)
    await scene.import('cats', 300)
    await scene.command({ act: 'undo', prefix: 'dogs' }, ['imports', 'undo', '1'])
    const file = 'saved/pets.db'
    await scene.command({ act: 'back up', file }, ['backup', join(scene.recording.folder, file)])
    const { id } = await scene.issue('second')
    await scene.revoke('second', id)
    await scene.import('birds', 200)
    await scene.command({ act: 'restore', file }, ['restore', join(scene.recording.folder, file)])
    await scene.issue('third')
  },

  /** A database of 1.0.0, brought up to date by the first command of today. */
  async migration(scene) {
    const earlier = treeOf(COMMIT_OF_1_0_0)
    scene.recording.give('data')
    const { id } = await scene.issue('old', earlier)
    await scene.import('horses', 500, earlier)
    await scene.run(['keys', 'list'])
    await scene.revoke('old', id)
    await scene.import('ponies', 100)
  },
}

/** Requests, the time after which they are saved, and the two creates after which they are on the disk. */
async function count(scene: Scene, port: number, key: string): Promise<void> {
  const { headers } = await call(port, { key })
  const requests = 1_000_000 - Number(headers['x-ratelimit-remaining'])
  await scene.act({ act: 'count', requests }, async () => {
    await pause(COUNTED_AFTER_MS)
    await scene.createMany(port, key, 'counted', 2)
    return undefined
  })
}

/** Plays a scene. `env` is for its processes. The caller disposes of the recording. */
export async function record(name: string, env: Readonly<Record<string, string>> = {}): Promise<Recording> {
  const play = SCENES[name]
  if (play === undefined) throw new Error(`there is no scene ${name}`)
  const recording = new Recording()
  await play(new Scene(recording, env))
  return recording
}
