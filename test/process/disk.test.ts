/** A full, failing, slow or damaged disk costs only the requests that need it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { describe, it } from 'node:test'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { diskNeeded, startFaultyDisk } from '../support/disk/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call } from '../support/http.ts'
import { skipUnless } from '../support/programs.ts'
import { pets, startService } from '../support/service.ts'

const folder = temporaryFolder()

/** What runs a command with mounts of its own. */
const privateMounts = (
  [
    ['unshare', '-m'],
    ['unshare', '-r', '-m'],
  ] as const
).find(([command, ...flags]) => spawnSync(command, [...flags, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0)
const smallDiskNeeded = skipUnless(
  privateMounts !== undefined,
  'no command may mount a small disk here: unshare -m needs CAP_SYS_ADMIN or user namespaces',
)

describe('a full disk', smallDiskNeeded, () => {
  it('for temporary files ends an import with one sentence, without adding animals', async () => {
    const disk = `${folder}/temporary`
    assert.ok(privateMounts)
    mkdirSync(disk)
    const database = `sqlite:${folder}/imported.db`
    writeFileSync(`${folder}/long.csv`, `name,categoryId\n${`${'x'.repeat(100)},1\n`.repeat(50_000)}`)
    const script = `mount -t tmpfs -o size=1m tmpfs "$SQLITE_TMPDIR" && exec "$@"`
    const { stdout, stderr, code } = await pets(['import', '--create', '--database', database, `${folder}/long.csv`], {
      launcher: [...privateMounts, 'sh', '-c', script, 'sh'],
      env: { SQLITE_TMPDIR: disk },
    })
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /^The database cannot be used: the disk is full; free [^\n]*SQLITE_TMPDIR[^\n]*\n$/m)
    assert.doesNotMatch(stderr, /\n +at /)
    assert.equal((await commandsOn(database).names()).size, 0)
  })
})

describe('a failing disk', diskNeeded, () => {
  it('delays only creates if it is slow, and a stop still ends in time (R15)', async () => {
    const database = `sqlite:${folder}/slow.db`
    const { key } = await commandsOn(database).key('enterprise', '--per-minute', '1000000', '--per-day', '1000')
    using disk = startFaultyDisk()
    const service = await startService({ database, env: disk.env })
    try {
      const port = service.port
      await call(port, { method: 'POST', key, body: '{"name":"first","categoryId":1}' })
      disk.delay(1_500)
      const startedMs = performance.now()
      let doneMs = 0
      const made = call(port, { method: 'POST', key, body: '{"name":"slow","categoryId":1}' }).then((answer) => {
        doneMs = performance.now()
        return answer
      })
      for (let n = 0; n < 10; n += 1) assertWhole(await call(port, { key }), 200)
      assert.equal(doneMs, 0, 'ten lists were answered while one create waited for the disk')
      assertWhole(await made, 201)
      assert(doneMs - startedMs >= 1_500)
      disk.delay(700)
      const stoppedMs = performance.now()
      assert.equal(await service.stop(), 0)
      assert(performance.now() - stoppedMs < 20_000)
    } finally {
      service.process.kill('SIGKILL')
    }
    await using again = await startService({ database })
    assert.equal((await call(again.port, { key })).headers['x-ratelimit-remaining'], '987')
  })
})

it('a damaged page causes 503 only where it is read (O23)', async () => {
  const path = `${folder}/damaged.db`
  const { key } = await commandsOn(`sqlite:${path}`).key(...LARGE)
  writeFileSync(`${folder}/many.csv`, `name,categoryId\n${`${'x'.repeat(100)},1\n`.repeat(5_000)}`)
  assert.equal((await pets(['import', '--create', '--database', `sqlite:${path}`, `${folder}/many.csv`])).code, 0)
  damageMiddleOf(path)
  await using service = await startService({ database: `sqlite:${path}` })
  const port = service.port
  const statuses = new Map<number, number>()
  for (let id = 1; id <= 5_000; id += 20) {
    const { status } = await call(port, { key, path: `/v1/pets/${id}` })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual([...statuses.keys()].sort(), [200, 503])
  assert((statuses.get(200) ?? 0) > 200, 'most animals are on other pages')
  assertWhole(await call(port, { key }), 200)
  assertWhole(await call(port, { method: 'POST', key, body: '{"name":"new","categoryId":1}' }), 201)
  assert.equal(await service.stop(), 0)
})

/** Overwrites a page of animals in the middle of the file with what no page looks like. */
function damageMiddleOf(path: string): void {
  const PAGE = 4_096
  const file = openSync(path, 'r+')
  const page = Buffer.alloc(PAGE)
  for (let number = 60; ; number += 1) {
    readSync(file, page, 0, PAGE, number * PAGE)
    if (page[0] === 0x0d && page.includes('x'.repeat(100))) {
      writeSync(file, Buffer.alloc(PAGE, 0xee), 0, PAGE, number * PAGE)
      closeSync(file)
      return
    }
  }
}
