/** Databases that are moved or replaced while they are open, or next to the log of another one. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { assertDone, commandsOn, linesOf } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { call } from '../../support/http.ts'
import { createPet, pets as petsProcess, type RunningService, startService } from '../../support/service.ts'
import { patientClock } from '../../support/time/clock.ts'
import { until } from '../../support/until.ts'

/** A database with one animal, and its backup. */
async function backedUp(path?: string) {
  const folder = temporaryFolder()
  const file = path ?? join(folder, 'pets.db')
  const database = `sqlite:${file}`
  const backup = join(folder, 'backup.db')
  const { add, done, refused } = commandsOn(database)
  assertDone(await add('name,categoryId\nRex,1\n'))
  await done('backup', backup)
  return { folder, file, database, backup, done, refused }
}

const namesIn = async (database: string) =>
  linesOf<{ name: string }>(await commandsOn(database).done('export')).map(({ name }) => name)

describe('a backup put next to the log of a crash', { concurrency: 2 }, () => {
  for (const link of [false, true]) {
    it(`is refused${link ? ', behind a symbolic link too' : ''}`, async () => {
      const file = join(temporaryFolder(), 'pets.db')
      const path = link ? join(temporaryFolder(), 'link.db') : file
      if (link) symlinkSync(file, path)
      const { database, backup, done, refused } = await backedUp(path)
      const service = await startService({ database })
      const { key } = await service.issueKey()
      for (let n = 0; n < 5; n += 1) assert.equal((await createPet(service, key, `Later ${n}`)).status, 201)
      await service.kill()
      assert(statSync(`${file}-wal`).size > 0)
      copyFileSync(backup, file)
      for (const args of [['serve', '--port', '0'], ['export'], ['verify']]) {
        await refused(/the log .*-wal of the previous file is still next to it/, ...args)
      }
      await done('restore', backup)
      assert.deepEqual(await namesIn(database), ['Rex'])
    })
  }
})

describe('a healthy database', { concurrency: 2 }, () => {
  it('is not refused after a restore during which another command waited, and a crash', async () => {
    const { file, database, backup, refused } = await backedUp()
    // An import keeps a restore away.
    const importing = new DatabaseSync(`${file}.importing`)
    importing.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    await refused(/An import into .* is running/, 'restore', backup)
    importing.close()
    // A command waits for a restore, but not for one on a busy machine.
    const waiting = async (...args: string[]) => {
      const first = await petsProcess(args)
      return first.stderr.includes('did not finish in time; try again') ? petsProcess(args) : first
    }
    const [restored, ...others] = await Promise.all([
      petsProcess(['restore', backup, '--database', database]),
      waiting('set-status', '1', 'sold', '--database', database),
      waiting('find', 'rex', '--database', database),
    ])
    assert.equal(restored.code, 0, restored.stderr)
    for (const { code, stderr } of others) assert.equal(code, 0, stderr)
    const service = await startService({ database })
    const { key } = await service.issueKey()
    assert.equal((await createPet(service, key, 'Later')).status, 201)
    await service.kill()
    assert.deepEqual(await namesIn(database), ['Rex', 'Later'])
  })

  it('whose restore is under way is neither opened by a command nor by a service', async () => {
    const { file, database, refused } = await backedUp()
    const held = new DatabaseSync(`${file}.using`)
    held.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const serving = new DatabaseSync(`${file}.serving`)
    serving.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    await refused(/is being restored; wait for the end of `pets restore`/, 'find', 'rex')
    await refused(/wait for the end of a restore or a copy/, 'serve', '--port', '0')
    held.close()
    serving.close()
    assert.deepEqual(await namesIn(database), ['Rex'])
  })
})

describe('a file replaced under a running service', { concurrency: 3 }, () => {
  async function running() {
    const site = await backedUp()
    const service = await startService({ database: site.database })
    const { key } = await service.issueKey()
    assert.equal((await createPet(service, key, 'Before')).status, 201)
    return { ...site, service, key }
  }
  const readiness = async (service: RunningService) => {
    const answer = await fetch(`${service.operatorUrl}/readyz`)
    return { status: answer.status, text: await answer.text() }
  }
  const said = (service: RunningService) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('is no longer the file that this service has open')).length

  it('a moved database acknowledges no create until its file is back', async () => {
    const { file, service, key, folder, backup, database, refused } = await running()
    renameSync(file, join(folder, 'aside.db'))
    copyFileSync(backup, file)
    assert.equal((await createPet(service, key, 'Lost')).status, 503, 'at once, not at the next look')
    await until('the service has seen it', async () => (await readiness(service)).status === 503)
    assert.match((await readiness(service)).text, /is no longer the file that this service has open/)
    assert.equal((await call(service.port, { key })).status, 503)
    assert.equal(said(service), 1)
    for (const args of [
      ['keys', 'create', '--create', '--plan', 'free'],
      ['find', 'rex'],
      ['verify'],
      ['backup', join(folder, 'x.db')],
    ]) {
      await refused(/is not the file that the running `pets serve` has open/, ...args)
    }
    rmSync(file)
    renameSync(join(folder, 'aside.db'), file)
    await until('the service is back', async () => (await readiness(service)).status === 200)
    assert.equal((await createPet(service, key, 'After')).status, 201)
    assert.equal(said(service), 1)
    await service.stop()
    const names = await namesIn(database)
    assert.deepEqual([names.includes('Before'), names.includes('After')], [true, true])
  })

  it('a removed database is not created again, and nothing is acknowledged', async () => {
    const { file, service, key } = await running()
    rmSync(file)
    assert.equal((await createPet(service, key, 'Lost')).status, 503)
    await until('the service has seen it', async () => (await readiness(service)).status === 503)
    await service.stop()
    assert.ok(!existsSync(file))
  })

  it('a folder that cannot be entered is reported until it can be entered again', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const database = `sqlite:${join(data, 'pets.db')}`
    await using service = await startService({ database })
    const { key } = await service.issueKey()
    renameSync(data, join(folder, 'aside'))
    symlinkSync('data', data)
    const refused = await createPet(service, key, 'Lost')
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
    await until('the service has seen it', async () => (await readiness(service)).status === 503)
    assert.match((await readiness(service)).text, /\/pets\.db cannot be reached: it leads through a loop of links/)
    assert.equal((await call(service.port, { key })).status, 503)
    rmSync(data)
    renameSync(join(folder, 'aside'), data)
    await until('the service is back', async () => (await readiness(service)).status === 200)
    assert.equal((await createPet(service, key, 'After')).status, 201)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(await namesIn(database), ['After'])
  })

  it('a command refuses to write if its file was replaced in the meantime', async () => {
    const { file, folder, database } = await backedUp()
    const store = await openStore(database, { serving: false, clock: patientClock })
    renameSync(file, join(folder, 'moved.db'))
    const change = store.records.change([1n], { status: 'sold' }, { who: 'cli ann', atMs: 0 })
    await assert.rejects(change, /was moved, removed or replaced while this command was working on it/)
    await store.close()
  })
})
