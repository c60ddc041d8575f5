/**
 * What a full, failing, slow or damaged disk costs: requests that need it, and nothing else. Real processes, a real
 * disk.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { describe, it } from 'node:test'
import { diskNeeded, startFaultyDisk } from '../support/disk/disk.ts'
import { issue, LARGE, pause, stored } from '../support/durability.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, assertWhole, call } from '../support/http.ts'
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
  it('is a 503 with Retry-After for creates, lists go on, nothing acknowledged is lost, and it recovers by itself (R9, O23)', async () => {
    const disk = `${folder}/disk`
    assert.ok(privateMounts)
    mkdirSync(disk)
    const key = await issue(`sqlite:${folder}/full.db`, ...LARGE)
    const script = `mount -t tmpfs -o size=4m tmpfs "$1" && cp "$2" "$1/pets.db" && shift 2 && exec "$@"`
    const service = await startService({
      launcher: [...privateMounts, 'sh', '-c', script, 'sh', disk, `${folder}/full.db`],
      database: `sqlite:${disk}/pets.db`,
    })
    try {
      const port = service.port
      const inside = `/proc/${service.process.pid}/root${disk}`
      const acknowledged: [id: number, name: string][] = []
      const create = async (name: string) => {
        const answer = await call(port, { method: 'POST', key, body: `{"name":"${name}","categoryId":1}` })
        if (answer.status === 201) acknowledged.push([(JSON.parse(answer.body) as { id: number }).id, name])
        return answer
      }
      for (let i = 0; i < 20; i += 1) assertWhole(await create(`before ${i}`), 201)

      const fill = () => writeFileSync(`${inside}/filler`, Buffer.alloc(8 << 20))
      assert.throws(fill, { code: 'ENOSPC' })
      let refused: Answer | undefined
      for (let i = 0; i < 20 && refused === undefined; i += 1) {
        const answer = await create(`during ${i} ${'x'.repeat(50_000)}`)
        if (answer.status !== 201) refused = answer
      }
      assertWhole(refused, 503, 'unavailable')
      assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
      assert.doesNotMatch(refused.body, /disk|SQLITE|full/)
      assertWhole(await call(port, { key }), 200)
      assertWhole(await call(port, { key, path: '/v1/pets/1' }), 200)
      assertWhole(await create('x'.repeat(50_000)), 503)
      assert.match(service.output(), /the disk is full/)
      const ready = await fetch(`${service.operatorUrl}/readyz`)
      assert.equal(ready.status, 200, 'reads go on')
      assert.match(
        ((await ready.json()) as { trouble: string }).trouble,
        /^Requests get 503: the disk is full; make room/,
      )

      rmSync(`${inside}/filler`)
      for (let i = 0; i < 20; i += 1) assertWhole(await create(`after ${i}`), 201)
      await pause(700) // counters that could not be saved are tried again
      cpSync(inside, `${folder}/copy`, { recursive: true })
      await service.kill()
      const animals = await stored(`sqlite:${folder}/copy/pets.db`)
      assert.equal(animals.size, acknowledged.length)
      for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
    } finally {
      service.process.kill('SIGKILL')
    }
  })

  it('of temporary files ends an import with one sentence, and adds none of its animals', async () => {
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
    assert.match(stderr, /^The database cannot be used: the disk is full; make room [^\n]*SQLITE_TMPDIR[^\n]*\n$/m)
    assert.doesNotMatch(stderr, /\n +at /)
    assert.equal((await stored(database)).size, 0)
  })
})

describe('a machine without a folder for temporary files', smallDiskNeeded, () => {
  it('has commands name the variable for one, also where only the file of the first start is left', async () => {
    assert.ok(privateMounts)
    const kept = `${folder}/kept`
    mkdirSync(kept)
    const script = `mount --bind "$KEPT" /mnt && cd /mnt && mkdir -p none && cd none || exit
      for each in . /tmp /var/tmp /usr/tmp; do [ ! -d $each ] || mount -t tmpfs -o ro tmpfs $each || exit; done
      cd "$PWD" && exec "$@"`
    for (const args of [
      ['keys', 'create', '--create', '--plan', 'free'],
      ['verify'],
      ['backup', '/mnt/backup.db'],
    ] as const) {
      const { code, stderr } = await pets([...args, '--database', 'sqlite:/mnt/pets.db'], {
        launcher: [...privateMounts, 'sh', '-c', script, 'sh'],
        env: { KEPT: kept },
      })
      assert.equal(code, 1, stderr)
      assert.match(stderr, /no folder for temporary files can be written[^\n]*SQLITE_TMPDIR[^\n]*\n$/)
    }
  })
})

describe('a failing disk', { ...diskNeeded }, () => {
  it('that is slow delays creates and nothing else; a stop ends in time, with the counters saved (R15)', async () => {
    const database = `sqlite:${folder}/slow.db`
    const key = await issue(database, 'enterprise', '--per-minute', '1000000', '--per-day', '1000')
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

describe('a damaged page', () => {
  it('is a 503 for who needs it; the process lives, and the other animals are served (O23)', async () => {
    const path = `${folder}/damaged.db`
    const key = await issue(`sqlite:${path}`, ...LARGE)
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
