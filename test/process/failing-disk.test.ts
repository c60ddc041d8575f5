/** A disk that fails at random under load, by a library before the C library (test/support/disk/disk.ts). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { type DiskFaults, diskNeeded, type FaultyDisk, startFaultyDisk } from '../support/disk/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { assertStored, startCreates } from './creates.ts'

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
  it('causes only 503s, and nothing that was acknowledged is lost (R9, O23)', async () => {
    using disk = startFaultyDisk({ unmapped: true })
    const path = `${temporaryFolder()}/pets.db`
    const database = `sqlite:${path}`
    const { key } = await commandsOn(database).key(...LARGE)
    const service = await startService({ database, env: disk.env })
    try {
      const acknowledged = new Map<number, string>()
      const creates = startCreates(service.port, key, 'f', acknowledged)
      {
        using _ = disturb(path)
        await failAndHeal(disk, service)
      }
      const before = acknowledged.size
      await until('creates continue once the disk works', () => acknowledged.size >= before + 20)
      await creates.stop()
      assert(creates.statuses.has(503), 'some failures reached a request')
      assert.match(service.output(), /the disk is full/)
      const { reads, writes, syncs } = disk.failed()
      assert(reads > 0 && writes > 0 && syncs > 0, 'calls of each kind failed')
      assert.equal(await service.stop(), 0)
      await assertStored(database, acknowledged)
      using file = new DatabaseSync(path, { timeout: 5_000 })
      assert.equal(file.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    } finally {
      service.process.kill('SIGKILL')
    }
  })
})
