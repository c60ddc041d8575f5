/**
 * A disk that fails at random under load: the process lives and answers, and whatever it acknowledged is there after a
 * restart, however it ended. The disk is a library before the C library (test/support/disk/disk.ts), the service a real
 * one.
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { type DiskFaults, diskNeeded, type FaultyDisk, startFaultyDisk } from '../support/disk/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, assertWhole, call } from '../support/http.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const CLIENTS = 8
/** How long each kind of failure lasts, and the pause before the next. */
const FAULTY_MS = 500
const SOUND_MS = 200

const FAULTS: readonly DiskFaults[] = [
  { writes: 0.05 },
  { writes: 0.3, error: 'ENOSPC' },
  { syncs: 0.3 },
  { reads: 0.05 },
  { reads: 0.02, writes: 0.1, syncs: 0.1 },
  { writes: 1, syncs: 1, error: 'ENOSPC' },
]

interface Load {
  readonly acknowledged: Map<number, string>
  readonly statuses: Map<number, number>
  stop(): Promise<void>
}

/** Clients that create animals and fetch each of them at once. Every answer is whole, and 201, 200 or 503. */
function load(port: number, key: string, acknowledged = new Map<number, string>()): Load {
  const prefix = acknowledged.size
  const statuses = new Map<number, number>()
  let stopping = false
  const ask = async (request: Parameters<typeof call>[1], status: number): Promise<Answer | undefined> => {
    const answer = await call(port, { key, ...request }).catch(() => undefined) // the process was killed
    if (answer === undefined) return undefined
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    assertWhole(answer, answer.status === 503 ? 503 : status)
    return answer.status === status ? answer : undefined
  }
  const client = async (name: string) => {
    for (let n = 0; !stopping; n += 1) {
      const made = await ask({ method: 'POST', body: `{"name":"${name}.${n}","categoryId":1}` }, 201)
      if (made === undefined) {
        await sleep(2)
        continue
      }
      const { id } = JSON.parse(made.body) as { id: number }
      assert(!acknowledged.has(id), `the id ${id} is given once`)
      acknowledged.set(id, `${name}.${n}`)
      const fetched = await ask({ path: `/v1/pets/${id}` }, 200)
      if (fetched !== undefined) assert.equal((JSON.parse(fetched.body) as { name: string }).name, `${name}.${n}`)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(`${prefix}.${index}`)))
  return {
    acknowledged,
    statuses,
    async stop() {
      stopping = true
      await clients
    },
  }
}

async function failAndHeal(disk: FaultyDisk, service: RunningService): Promise<void> {
  for (const faults of FAULTS) {
    const before = disk.failed()
    disk.fail(faults)
    await sleep(FAULTY_MS)
    // Where every write fails, nothing is there to be synced.
    const kinds = (['reads', 'writes', 'syncs'] as const).filter((kind) => faults[kind] !== undefined)
    await until('calls fail', () => kinds.some((kind) => disk.failed()[kind] > before[kind]))
    const { exitCode, signalCode } = service.process
    assert.equal(exitCode ?? signalCode, null, `the process ended: ${service.output().slice(-2_000)}`)
    disk.fail({})
    await sleep(SOUND_MS)
  }
}

async function assertStored(path: string, acknowledged: ReadonlyMap<number, string>): Promise<void> {
  const animals = await commandsOn(`sqlite:${path}`).names()
  for (const [id, name] of acknowledged) assert.equal(animals.get(id), name, `the acknowledged animal ${id}`)
  using database = new DatabaseSync(path, { timeout: 5_000 })
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
}

/** A new database with a key that is never used up. */
async function prepare(): Promise<{ path: string; key: string }> {
  const path = `${temporaryFolder()}/pets.db`
  return { path, ...(await commandsOn(`sqlite:${path}`).key(...LARGE)) }
}

/** Another process that commits: what the service has in memory is out of date each time, so it reads from the disk. */
function disturb(path: string): Disposable {
  const database = new DatabaseSync(path, { timeout: 100 })
  const timer = setInterval(() => {
    try {
      database.exec('UPDATE pets SET status = status WHERE id = 1')
    } catch {
      // the service is writing
    }
  }, 10)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      database.close()
    },
  }
}

describe('a disk that fails at random under load', diskNeeded, () => {
  it('causes only 503s: the process survives, recovers by itself, stops cleanly, and keeps what it acknowledged (R9, O23)', async () => {
    using disk = startFaultyDisk({ unmapped: true, seed: 1 })
    const { path, key } = await prepare()
    const service = await startService({ database: `sqlite:${path}`, env: disk.env })
    try {
      const running = load(service.port, key)
      {
        using _ = disturb(path)
        await failAndHeal(disk, service)
      }
      const before = running.acknowledged.size
      await until('creates continue once the disk works', () => running.acknowledged.size >= before + 20)
      await running.stop()
      assert(running.statuses.get(503), 'some failures reached a request')
      assert.match(service.output(), /the disk is full/)
      const { reads, writes, syncs } = disk.failed()
      assert(reads > 0 && writes > 0 && syncs > 0, 'calls of each kind failed')
      assert.equal(await service.stop(), 0)
      await assertStored(path, running.acknowledged)
    } finally {
      service.process.kill('SIGKILL')
    }
  })
})
