/** An import for which the disk has no room leaves the room that the service needs: on a real, small disk. */
import assert from 'node:assert/strict'
import { closeSync, openSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { smallDisk } from '../support/disk/small-disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call } from '../support/http.ts'
import { pets, startService } from '../support/service.ts'

const MIB = 1 << 20
const DISK_MIB = 64
const CREATES = 200
/** Between two creates, so that the import has the processor. */
const PAUSE_MS = 10

/** A file of animals whose names come to about so many bytes. */
function animalsFile(bytes: number, withIds: boolean): string {
  const file = join(temporaryFolder(), 'animals.csv')
  const name = 'x'.repeat(1_000)
  const out = openSync(file, 'w')
  writeSync(out, withIds ? 'id,name,categoryId\n' : 'name,categoryId\n')
  for (let n = 1; n * 1_000 < bytes; n += 1) writeSync(out, withIds ? `${n + 1_000_000},${name},1\n` : `${name},1\n`)
  closeSync(out)
  return file
}

const freeOf = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const disks = [smallDisk(DISK_MIB), smallDisk(DISK_MIB)]

describe('an import that the disk has no room for', {
  skip: disks.includes(undefined) && 'this user may not mount a disk',
}, () => {
  for (const withIds of [false, true]) {
    it(`${withIds ? 'with ids ' : ''}is refused in one sentence, and other requests are served`, async () => {
      const disk = disks[Number(withIds)]
      assert(disk !== undefined)
      const path = join(disk, `${withIds}.db`)
      const database = `sqlite:${path}`
      const { key } = await commandsOn(database).key(...LARGE)
      await using service = await startService({ database, operatorPort: 'none' })
      const create = async (bytes: number) => {
        const body = JSON.stringify({ name: 'y'.repeat(bytes), categoryId: 1 })
        const { status } = await call(service.port, { key, method: 'POST', body })
        assert.equal(status, 201)
      }
      await create(10)
      const file = animalsFile((withIds ? 30 : 55) * MIB, withIds)
      const more = withIds ? ['--with-ids'] : []
      const importing = pets(['import', file, '--allow-duplicates', ...more, '--database', database])
      let isOver = false
      void importing.finally(() => {
        isOver = true
      })
      while (!isOver) {
        await create(10)
        assertWhole(await call(service.port, { key }), 200)
        await sleep(PAUSE_MS)
      }
      const { code, stdout, stderr } = await importing
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /The disk of .* has \d+ MiB left, and this needs \d+ MiB.* Nothing was changed\.$/m)
      for (let n = 0; n < CREATES; n += 1) await create(10_000)
      assert(freeOf(disk) > 8 * MIB, `${freeOf(disk)} bytes are free`)
      assert.equal(await service.stop(), 0)
      assert.match((await pets(['verify', '--database', database])).stdout, /^The database is sound/)
    })
  }
})

it('the write-ahead log shrinks again after a large change', async () => {
  const path = join(temporaryFolder(), 'log.db')
  const database = `sqlite:${path}`
  const { key } = await commandsOn(database).key(...LARGE)
  await using service = await startService({ database, operatorPort: 'none' })
  const create = () => call(service.port, { key, method: 'POST', body: '{"name":"Rex","categoryId":1}' })
  assert.equal((await create()).status, 201)
  const imported = await pets(['import', '--create', animalsFile(12 * MIB, true), '--with-ids', '--database', database])
  assert.equal(imported.code, 0, imported.stderr)
  while (statSync(`${path}-wal`).size > 9 * MIB) assert.equal((await create()).status, 201)
})
