/** Backups that the service makes by itself, and removed animals that it purges in time. */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, HOUR_MS } from '../../../src/common/clock.ts'
import { PURGE_MS, RESTORABLE_MS } from '../../../src/rules/bounds.ts'
import { ScheduledBackups } from '../../../src/service/backups.ts'
import { openStore } from '../../../src/store/open.ts'
import { commandsOn, pets } from '../../support/commands/commands.ts'
import { namesIn, temporaryFolder } from '../../support/folder.ts'
import { keptLog } from '../../support/log.ts'
import { type RunningService, startService } from '../../support/service.ts'
import { patientClock } from '../../support/time/clock.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

/** The process that copies waits forever before it begins. */
const COPYING = realpathSync(join(import.meta.dirname, '../../../src/store/sqlite/maintenance/snapshot-process.ts'))
const HELD = `if (process.argv[1] === '${COPYING}') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
const COPIES_NOTHING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HELD)}` }

function newSite() {
  const folder = temporaryFolder()
  const database = `sqlite:${join(folder, 'pets.db')}`
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  const serve = (every: string) => startService({ database, args: ['--backup-dir', backups, '--backup-every', every] })
  /** In this process, by a clock of the test. */
  const schedule = (keep: number, folder = backups) => {
    const clock = new VirtualClock()
    const { log, text: written } = keptLog()
    const stopping = new AbortController()
    const plan = { folder, everyMs: DAY_MS, keep }
    const scheduled = new ScheduledBackups(database, { ...plan, clock, log, signal: stopping.signal })
    scheduled.start()
    const told = (text: string) =>
      written()
        .split('\n')
        .filter((line) => line.includes(text))
    const count = () => told('backup made and checked').length + scheduled.failures
    return {
      scheduled,
      clock,
      told,
      /** Resolves when the next one is made, or has failed. */
      async next(): Promise<void> {
        const before = count()
        clock.leap(DAY_MS)
        await until('the next backup', () => {
          clock.pass(1)
          return count() > before
        })
      },
      async [Symbol.asyncDispose]() {
        stopping.abort()
        await scheduled.close()
      },
    }
  }
  return { folder, database, backups, serve, schedule, ...commandsOn(database) }
}

const FOUR_MADE = /(?:"msg":"backup made and checked".*){4}/s
const metricsOf = async ({ operatorUrl }: RunningService) => (await fetch(`${operatorUrl}/metrics`)).text()
/** By the metrics, in Unix seconds. */
const lastSuccess = async (service: RunningService) =>
  Number(/^pets_backup_last_success_timestamp_seconds (\S+)$/m.exec(await metricsOf(service))?.[1])

describe('backups that the service makes', { concurrency: 3 }, () => {
  it('are made as often as told, checked, told of, and only the newest of its own are kept', async () => {
    const { backups, serve, add, done } = newSite()
    await add('name,categoryId\nRex,1\n')
    const foreign = ['pets-2020-01-01.db', 'notes.txt', 'other-2020-01-01T000000Z.db']
    for (const name of foreign) writeFileSync(join(backups, name), 'mine')
    const oldest = join(backups, 'pets-2020-01-01T000000Z.db')
    await done('backup', oldest)
    const partial = 'pets-2020-01-01T000000Z.db.0123456789abcdef.partial'
    for (const name of [partial, `${partial}-journal`]) writeFileSync(join(backups, name), 'cut off')
    await using service = await serve('1s/2')
    const own = () => namesIn(backups, /^pets-\d{4}-\d\d-\d\dT\d{6}Z\.db$/)
    await service.says(FOUR_MADE)
    assert(own().length <= 3, 'two, and perhaps one that has just been made')
    assert(!own().includes('pets-2020-01-01T000000Z.db'))
    for (const name of foreign) assert(readdirSync(backups).includes(name), name)
    assert.match(service.output(), /"file":"[^"]+\/pets-[^"]+","animals":1,"msg":"backup made and checked"/)
    const metrics = await metricsOf(service)
    assert(Math.abs((await lastSuccess(service)) - Date.now() / 1000) < 120)
    assert.match(metrics, /^pets_backup_failures_total 0$/m)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(namesIn(backups, /\.partial/), [])
    const newest = own().toSorted().at(-1) ?? ''
    const verified = await commandsOn(`sqlite:${join(backups, newest)}`).done('verify')
    assert.match(verified, /^The database is sound: 1 animal,/)
  })

  it('are not made by a restart while the newest is recent enough', async () => {
    const { backups, serve } = newSite()
    for (const restart of [1, 2]) {
      await using service = await serve('1h')
      if (restart === 1) await service.says(/backup made/)
      assert.match(String(await lastSuccess(service)), /^1\d{9}(\.\d+)?$/)
    }
    assert.equal(readdirSync(backups).length, 1)
  })

  it('are made and counted even if a clock that ran ahead left one dated in the future', async () => {
    const { backups, schedule, key } = newSite()
    await key('free')
    const ahead = 'pets-2199-01-01T000000Z.db'
    writeFileSync(join(backups, ahead), 'made while the clock was ahead')
    await using its = schedule(1)
    assert.equal(its.scheduled.lastSuccessMs, undefined, 'not in the future')
    await its.next()
    assert(its.clock.nowMs - (its.scheduled.lastSuccessMs ?? 0) < HOUR_MS)
    assert.equal(readdirSync(backups).length, 2)
    assert(readdirSync(backups).includes(ahead))
  })

  it('are counted and reported once if they fail', async () => {
    const { folder, schedule, key } = newSite()
    await key('free')
    const taken = join(folder, 'taken')
    const lead = (to: string) => {
      rmSync(taken, { force: true })
      symlinkSync(to, taken)
    }
    writeFileSync(join(folder, 'file'), '')
    lead('backups')
    await using its = schedule(3, taken)
    await its.next()
    const failures = () => its.told('no backup was made')
    for (const [to, told] of [
      ['file', 1],
      // Another reason, in whose sentence the name of the file is another each time: nothing can be made in this folder.
      ['/dev/fd', 2],
    ] as const) {
      lead(to)
      for (let n = 0; n < 3; n += 1) await its.next()
      assert.equal(failures().length, told, failures().join(''))
    }
    assert.equal(its.scheduled.failures, 6)
    assert.match(
      failures()[0] ?? '',
      /"level":50,[^{]*"msg":"no backup was made: Backups cannot be written to [^"\\]+; the log will say when a backup succeeds again"\}$/m,
    )
    lead('backups')
    await its.next()
    assert.match(its.told('backups succeed again')[0] ?? '', /"failures":6/)
    assert.deepEqual(its.told('"stack"'), [])
  })

  it('make an empty database a finding from the first second if any backup has animals, whatever its name', async () => {
    for (const [name, others] of [
      ['pets-2020-01-01T000000Z.db', 'pets.db'],
      ['by-hand.db', 'pets.db'],
      ['pets-2020-01-01T000000Z.db', 'pet.db'],
    ] as const) {
      const { folder, backups, add, done } = newSite()
      await add('name,categoryId\nRex,1\n')
      const good = join(backups, name)
      await done('backup', good)
      for (const one of readdirSync(folder)) if (one !== 'backups') rmSync(join(folder, one), { recursive: true })
      const database = `sqlite:${join(folder, others)}`
      const args = ['--backup-dir', backups, '--backup-every', '1s/1']
      await using service = await startService({ database, args })
      const told = `The database contains no animals, but ${good} contains 1 animal.`
      await until('it is reported', async () =>
        (await (await fetch(`${service.operatorUrl}/readyz`)).text()).includes(told),
      )
      assert.match(await metricsOf(service), /^pets_backups_in_doubt 1$/m)
      const { code, stderr } = await pets(['health', '--database', database], { env: { PETS_BACKUP_DIR: backups } })
      assert.deepEqual([code, stderr.includes(`Look at it: ${told}`)], [1, true], stderr)
      await service.says(FOUR_MADE)
      assert(existsSync(good))
      assert(readdirSync(backups).length <= 3, 'its own are removed')
      assert.equal(service.output().match(/contains no animals/g)?.length, 1)
    }
  })

  it('leave backups of another database alone and report them', async () => {
    const { folder, backups, schedule, add, done } = newSite()
    await add('name,categoryId\nRex,1\n')
    const good = join(backups, 'pets-2020-01-01T000000Z.db')
    await done('backup', good)
    for (const one of readdirSync(folder)) if (one !== 'backups') rmSync(join(folder, one), { recursive: true })
    await add('name,categoryId\nMia,1\n')
    await using its = schedule(1)
    await its.next()
    await its.next()
    await until(
      'it is reported',
      () => its.scheduled.doubt?.includes(`another database: ${good} contains 1 animal`) === true,
    )
    assert(existsSync(good))
  })

  it('keep the last ones with animals if the database is suddenly empty', async () => {
    const { backups, schedule, add, done } = newSite()
    await add('name,categoryId\nRex,1\n')
    for (const day of [1, 2, 3]) await done('backup', join(backups, `pets-2020-01-0${day}T000000Z.db`))
    await done('remove', '1')
    await using its = schedule(2)
    for (let n = 0; n < 4; n += 1) await its.next()
    const left = namesIn(backups, /^pets-2020/)
    assert.deepEqual(left.toSorted(), ['pets-2020-01-02T000000Z.db', 'pets-2020-01-03T000000Z.db'])
    assert(readdirSync(backups).length <= 5)
    const doubt = /"level":50.*the database contains no animals, but \S+01-03T000000Z\.db contains 1 animal/
    assert.match(its.told('contains no animals').join(), doubt)
    await done('restore-animal', '1')
    await its.next()
    await until('the rest are removed', () => namesIn(backups, /^pets-2020/).length === 0)
    assert.equal(its.scheduled.doubt, undefined)
  })

  it('are reported, without ending the service, if they cannot be written at its start', async () => {
    const { folder, database } = newSite()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('circle', join(folder, 'circle'))
    for (const backups of ['/proc/x/y', join(folder, 'file/in'), join(folder, 'circle')]) {
      await using service = await startService({ database, args: ['--backup-dir', backups] })
      await service.says(/"level":"error".*no backup was made: .*given as --backup-dir/)
      const ready = await fetch(`${service.operatorUrl}/readyz`)
      assert.equal(ready.status, 200)
      assert.match(await ready.text(), /No backup was made: Backups cannot be written to \S+ given as --backup-dir: /)
      assert.match(await metricsOf(service), /^pets_backup_copied_timestamp_seconds 0$/m)
      assert.match(await metricsOf(service), /^pets_backup_failures_total [1-9]/m)
    }
  })

  it('affect nothing else if their folder becomes unreachable', async () => {
    const { folder, database, backups } = newSite()
    await using service = await startService({ database, args: ['--backup-dir', backups], env: COPIES_NOTHING })
    await until('a file', () => readdirSync(backups).length > 0)
    renameSync(backups, join(folder, 'aside'))
    symlinkSync('backups', backups)
    // It looks ten times a second how far the copy has come.
    for (let n = 0; n < 5; n += 1) {
      await sleep(100)
      assert.equal((await fetch(`${service.operatorUrl}/readyz`)).status, 200)
    }
    assert.equal(await service.stop(), 0)
  })

  it('do not hold up the end of the service', async () => {
    const { database, backups } = newSite()
    await using service = await startService({ database, args: ['--backup-dir', backups], env: COPIES_NOTHING })
    await until('a file', () => readdirSync(backups).length > 0)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(readdirSync(backups), [])
  })
})

it('removed animals are purged by the service when their time is over, and not before', async () => {
  const { database, done, refused } = newSite()
  const store = await openStore(database, { serving: false, clock: patientClock })
  const old = await store.pets.create({ name: 'Old', categoryId: 1n })
  const young = await store.pets.create({ name: 'Young', categoryId: 1n })
  const by = (ageMs: number) => ({ who: 'a test', atMs: Date.now() - ageMs })
  await store.records.remove([old.id], by(RESTORABLE_MS + PURGE_MS + 60_000))
  await store.records.remove([young.id], by(RESTORABLE_MS - 3_600_000))
  await store.records.purge(by(PURGE_MS)) // a service that looked before
  await store.close()
  await using service = await startService({ database })
  await service.says(/were purged/)
  await refused(/^There is no removed animal 1; nothing was changed\.\n$/, 'restore-animal', String(old.id))
  await done('restore-animal', String(young.id))
  const purged = await openStore(database, { serving: false, clock: patientClock })
  const [entry] = await purged.records.journal({ petId: old.id, limit: 1 })
  await purged.close()
  assert.deepEqual([entry?.who, entry?.act], ['service', 'purge'])
})
