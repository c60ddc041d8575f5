/** A process that is killed while it publishes: each file is the one before or the one after, as a whole. */
import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NAMES } from '../../src/public-page/folder.ts'
import { publish } from '../../src/public-page/publisher.ts'
import { openStore } from '../../src/store/open.ts'
import { diskNeeded, startFaultyDisk } from '../support/disk/disk.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'
import { startProgram } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'

const KILLS = 40
const ANIMALS = 2_000
/** It publishes several times within this time. */
const WITHIN_MS = 90
/** Long enough to kill a process during a sync. */
const SYNC_MS = 1

async function database(name: string) {
  const url = newDatabase()
  const folder = temporaryFolder()
  const store = await openStore(url, { serving: false, clock: patientClock })
  const its = { categoryId: '1', status: 'available' } as const
  const pets = Array.from({ length: ANIMALS }, (_, n) => ({ id: `${n}`, name: `${name} ${n}`, ...its }))
  await store.archive.putAnimals(pets)
  await publish(store, folder, 0)
  await store.close()
  return { url, folder }
}

it(
  `a publisher that is killed at ${KILLS} moments leaves whole files, and nothing that stays`,
  diskNeeded,
  async () => {
    const made = [await database('Rex'), await database('Luna')]
    const filesOf = (folder: string) => globSync('**/*.*', { cwd: folder }).sort()
    const names = filesOf(made[0]?.folder ?? '')
    for (const name of ['page-2.html', 'page.js', 'animal/1/1999.html', ...NAMES]) assert(names.includes(name), name)
    const read = (folder: string, name: string) => readFileSync(join(folder, name))
    const folder = temporaryFolder()
    cpSync(made[0]?.folder ?? '', folder, { recursive: true })
    using disk = startFaultyDisk({ files: [`${folder}/*`], delayMs: SYNC_MS })
    const script = `${import.meta.dirname}/killed-process.ts`
    for (let n = 0; n < KILLS; n += 1) {
      const line = [process.execPath, script, folder, ...made.map(({ url }) => url)]
      const { process: child, ended, says } = startProgram(line, { env: disk.env })
      await says(/it has begun/)
      await sleep((n * WITHIN_MS) / KILLS)
      child.kill('SIGKILL')
      await ended
      for (const name of names) {
        const there = read(folder, name)
        const isWhole = made.some((one) => read(one.folder, name).equals(there))
        assert(isWhole, `${name} after kill ${n}`)
      }
    }
    const store = await openStore(made[1]?.url ?? '', { serving: false, clock: patientClock })
    await publish(store, folder, 0)
    await store.close()
    assert.deepEqual(filesOf(folder), names)
  },
)
