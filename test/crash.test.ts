/**
 * What survives: a kill in the middle of creates, a stop under load, a full disk. Real processes, a real disk, and every
 * animal that was acknowledged looked for afterwards.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { describe, it } from 'node:test'
import { diskNeeded, startFaultyDisk } from './support/disk.ts'
import { temporaryFolder } from './support/folder.ts'
import { type Answer, assertWhole, call, RawConnection } from './support/http.ts'
import { skipUnless } from './support/programs.ts'
import { pets, type RunningService, startService } from './support/service.ts'

const ROUNDS = 20
const CLIENTS = 8

const folder = temporaryFolder()

const portOf = (service: RunningService) => Number(new URL(service.baseUrl).port)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function kill(service: RunningService): Promise<void> {
  const ended = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await ended
}

async function issue(database: string, ...plan: string[]): Promise<string> {
  const { stdout, stderr, code } = await pets(['keys', 'create', '--json', '--database', database, '--plan', ...plan])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { key: string }).key
}

const LARGE = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']

async function stored(database: string): Promise<Map<number, string>> {
  const { stdout, code, stderr } = await pets(['export', '--database', database])
  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  const animals = lines.map((line) => JSON.parse(line) as { id: number; name: string })
  return new Map(animals.map(({ id, name }) => [id, name]))
}

/** Creates animals one after the other until the service is gone; notes each that was acknowledged. */
async function createUntilGone(
  port: number,
  key: string,
  name: string,
  acknowledged: [id: number, name: string][],
): Promise<void> {
  for (let n = 0; ; n += 1) {
    let answer: Answer
    try {
      answer = await call(port, { method: 'POST', key, body: `{"name":"${name}.${n}","categoryId":1}` })
    } catch {
      return
    }
    if (answer.status === 201) acknowledged.push([(JSON.parse(answer.body) as { id: number }).id, `${name}.${n}`])
    else assertWhole(answer, 503)
  }
}

describe('kill -9', () => {
  it(`in the middle of creates, ${ROUNDS} times: nothing acknowledged is lost and no id is given twice (R4, R9)`, async () => {
    const database = `sqlite:${folder}/kill.db`
    const key = await issue(database, ...LARGE)
    const acknowledged: [id: number, name: string][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await startService({ database })
      const before = acknowledged.length
      const clients = Array.from({ length: CLIENTS }, (_, i) =>
        createUntilGone(portOf(service), key, `${round}.${i}`, acknowledged),
      )
      while (acknowledged.length < before + 5) await pause(1)
      await pause((round * 7) % 40)
      await kill(service)
      await Promise.all(clients)
    }
    assert(acknowledged.length >= ROUNDS * 5)
    assert.equal(new Set(acknowledged.map(([id]) => id)).size, acknowledged.length, 'no id is given twice')
    const animals = await stored(database)
    for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
  })

  it('between a commit and the word of it: all that was acknowledged is there, and what was not may be (R9)', async () => {
    const database = `sqlite:${folder}/between.db`
    const key = await issue(database, ...LARGE)
    const acknowledged: [id: number, name: string][] = []
    for (let round = 0; round < 3; round += 1) {
      const service = await startService({ database, env: atCommit(5 + round, "process.kill(process.pid, 'SIGKILL')") })
      const ended = once(service.process, 'exit')
      const clients = Array.from({ length: CLIENTS }, (_, i) =>
        createUntilGone(portOf(service), key, `${round}.${i}`, acknowledged),
      )
      await Promise.all(clients)
      await ended
    }
    const animals = await stored(database)
    for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
    assert(animals.size > acknowledged.length, 'what was committed and not acknowledged is there too')
  })

  it('counters and bans are kept but for the last 100 ms (R16, R17)', async () => {
    const database = `sqlite:${folder}/counters.db`
    const args = ['--ban-after', '2', '--ban-window', '3600', '--ban-for', '5000']
    const key = await issue(database, 'enterprise', '--per-minute', '1000000', '--per-day', '100000')
    const banned = await issue(database, 'enterprise', '--per-minute', '1', '--per-day', '1')
    const first = await startService({ database, args })
    const port = portOf(first)
    for (let i = 0; i < 3; i += 1) await call(port, { key: banned })
    const ban = await call(port, { key: banned })
    const sentAtMs: number[] = []
    const until = performance.now() + 600
    while (performance.now() < until) {
      await call(port, { key })
      sentAtMs.push(performance.now())
    }
    const killedAtMs = performance.now()
    await kill(first)

    await using second = await startService({ database, args })
    const [answer, still] = [await call(portOf(second), { key }), await call(portOf(second), { key: banned })]
    const counted = 100_000 - Number(answer.headers['x-ratelimit-remaining']) - 1
    const due = sentAtMs.filter((atMs) => atMs < killedAtMs - 100).length
    assert(due > 20, 'enough requests to tell')
    assert(counted >= due, `${counted} kept of ${sentAtMs.length}, of which ${due} are older than 100 ms`)
    assert(counted <= sentAtMs.length)
    assertWhole(still, 429)
    assert.equal(still.headers['x-ratelimit-reset'], ban.headers['x-ratelimit-reset'])
  })
})

/** Runs `code` in the thread that writes, after the commit of so many batches and before it tells of the last. */
function atCommit(count: number, code: string): { NODE_OPTIONS: string } {
  const preloaded = `
    import { isMainThread, MessagePort } from 'node:worker_threads'
    const { postMessage } = MessagePort.prototype
    let commits = 0
    if (!isMainThread) MessagePort.prototype.postMessage = function (message, ...more) {
      if (message?.kind === 'committed' && ++commits === ${count}) { ${code} }
      return postMessage.call(this, message, ...more)
    }`
  return { NODE_OPTIONS: `--import data:text/javascript;base64,${Buffer.from(preloaded).toString('base64')}` }
}

describe('the thread that writes', () => {
  it('ends: a 503 for what it was given, a line in the log, and a new thread; nothing acknowledged is lost (R9, O23)', async () => {
    const database = `sqlite:${folder}/thread.db`
    const key = await issue(database, ...LARGE)
    await using service = await startService({ database, env: atCommit(5, 'process.exit(3)') })
    const port = portOf(service)
    const acknowledged: [id: number, name: string][] = []
    const statuses = new Set<number>()
    for (let n = 0; n < 20; n += 1) {
      const answer = await call(port, { method: 'POST', key, body: `{"name":"${n}","categoryId":1}` })
      assertWhole(answer, answer.status === 201 ? 201 : 503)
      statuses.add(answer.status)
      if (answer.status === 201) acknowledged.push([(JSON.parse(answer.body) as { id: number }).id, `${n}`])
      assertWhole(await call(port, { key }), 200)
    }
    assert.deepEqual([...statuses].sort(), [201, 503])
    assert.match(service.output(), /thread that writes the database has ended \(exit code 3\) and is started again/)
    const animals = await stored(database)
    for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
  })
})

describe('SIGTERM', () => {
  it('keeps counters and bans exactly (R16, R17)', async () => {
    const database = `sqlite:${folder}/restart.db`
    const args = ['--ban-after', '2', '--ban-window', '3600', '--ban-for', '5000']
    const key = await issue(database, 'enterprise', '--per-minute', '1000000', '--per-day', '1000')
    const banned = await issue(database, 'enterprise', '--per-minute', '1', '--per-day', '1')
    let left = 1_000
    let reset: unknown
    for (let round = 0; round < 3; round += 1) {
      await using service = await startService({ database, args })
      for (let i = 0; i < 3; i += 1) {
        const answer = await call(portOf(service), { key: banned })
        if (round > 0) assert.equal(answer.headers['x-ratelimit-reset'], reset)
        reset = answer.headers['x-ratelimit-reset']
      }
      for (let i = 0; i < 25; i += 1) {
        left -= 1
        assert.equal((await call(portOf(service), { key })).headers['x-ratelimit-remaining'], String(left))
      }
      assert.equal(await service.stop(), 0)
    }
  })

  it('keeps the counters also while another process holds the database for a moment', async () => {
    const { DatabaseSync } = await import('node:sqlite')
    const path = `${folder}/busy.db`
    const key = await issue(`sqlite:${path}`, 'enterprise', '--per-minute', '1000000', '--per-day', '1000')
    const service = await startService({ database: `sqlite:${path}` })
    await call(portOf(service), { key })
    await pause(150)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    for (let i = 0; i < 9; i += 1) await call(portOf(service), { key })
    const stopped = service.stop()
    await pause(400)
    other.exec('COMMIT')
    other.close()
    assert.equal(await stopped, 0)
    await using again = await startService({ database: `sqlite:${path}` })
    assert.equal((await call(portOf(again), { key })).headers['x-ratelimit-remaining'], '989')
  })

  it('under load: what is in flight is finished, later requests get 503 with every header, exit 0 within 10 s (R15, O23)', async () => {
    const database = `sqlite:${folder}/term.db`
    const key = await issue(database, ...LARGE)
    const service = await startService({ database })
    const port = portOf(service)
    const acknowledged: [id: number, name: string][] = []
    const clients = Array.from({ length: CLIENTS }, (_, i) => createUntilGone(port, key, `t.${i}`, acknowledged))
    const body = '{"name":"slow","categoryId":1}'
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
    using slow = new RawConnection(port)
    slow.send(
      `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    )
    using late = new RawConnection(port)
    late.send(`GET /v1/pets HTTP/1.1\r\n${head}`)
    while (acknowledged.length < 50) await pause(1)

    const started = performance.now()
    const stopped = service.stop()
    await Promise.all(clients)
    const [refused] = await late.send('\r\n').answers(1)
    assertWhole(refused, 503, 'unavailable')
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal(refused.headers.connection, 'close')
    const [made] = await slow.send(body.slice(9)).answers(1)
    assertWhole(made, 201)
    acknowledged.push([(JSON.parse(made.body) as { id: number }).id, 'slow'])
    assert.equal(await stopped, 0)
    assert(performance.now() - started < 10_000)
    const animals = await stored(database)
    for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
  })

  it('ends within 10 s although a client never finishes its request', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    using connection = new RawConnection(portOf(service))
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    )
    await call(portOf(service), { key })
    const started = performance.now()
    assert.equal(await service.stop(), 0)
    assert(performance.now() - started < 10_000)
  })
})

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
      const port = portOf(service)
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

      rmSync(`${inside}/filler`)
      for (let i = 0; i < 20; i += 1) assertWhole(await create(`after ${i}`), 201)
      await pause(700) // counters that could not be saved are tried again
      cpSync(inside, `${folder}/copy`, { recursive: true })
      await kill(service)
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
    const { stdout, stderr, code } = await pets(['import', '--database', database, `${folder}/long.csv`], {
      launcher: [...privateMounts, 'sh', '-c', script, 'sh'],
      env: { SQLITE_TMPDIR: disk },
    })
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /^the disk is full; make room [^\n]*SQLITE_TMPDIR[^\n]*\n$/)
    assert.equal((await stored(database)).size, 0)
  })
})

describe('a failing disk', { ...diskNeeded }, () => {
  it('is a 503 or a line in the log, never the end of the process; reads go on, and nothing acknowledged is lost (R9, O23)', async () => {
    const database = `sqlite:${folder}/failing.db`
    const key = await issue(database, ...LARGE)
    using disk = startFaultyDisk({ seed: 7 })
    const service = await startService({ database, env: disk.env })
    try {
      const port = portOf(service)
      const acknowledged: [id: number, name: string][] = []
      let refused = 0
      for (const faults of [{ syncs: 0.3 }, { writes: 0.1 }, { writes: 0.1, syncs: 0.2, error: 'ENOSPC' as const }]) {
        disk.fail(faults)
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          for (let n = 0; n < 60; n += 1) {
            const name = `${JSON.stringify(faults)} ${client}.${n}`
            const body = JSON.stringify({ name, categoryId: 1 })
            const answer = await call(port, { method: 'POST', key, body })
            if (answer.status === 201) acknowledged.push([(JSON.parse(answer.body) as { id: number }).id, name])
            else {
              assertWhole(answer, 503, 'unavailable')
              refused += 1
            }
            assertWhole(await call(port, { key, path: '/v1/pets?limit=5' }), 200)
          }
        })
        await Promise.all(clients)
      }
      assert(disk.failed().syncs > 0 && disk.failed().writes > 0 && refused > 0, 'the disk failed')
      assert(acknowledged.length > 100)
      disk.fail({ reads: 0.3 })
      const statuses = new Set<number>()
      for (let n = 0; n < 60; n += 1) statuses.add((await call(port, { key, path: `/v1/pets/${n}` })).status)
      for (let n = 0; n < 10; n += 1) await call(port, { method: 'POST', key, body: '{"name":"maybe","categoryId":1}' })
      assert(statuses.isSubsetOf(new Set([200, 404, 503])), [...statuses].join())
      disk.fail({})
      const body = '{"name":"afterwards","categoryId":1}'
      assertWhole(await call(port, { method: 'POST', key, body }), 201)
      await kill(service)
      const animals = await stored(database)
      for (const [id, name] of acknowledged) assert.equal(animals.get(id), name)
    } finally {
      service.process.kill('SIGKILL')
    }
  })

  it('that is slow delays creates and nothing else; a stop ends in time, with the counters saved (R15)', async () => {
    const database = `sqlite:${folder}/slow.db`
    const key = await issue(database, 'enterprise', '--per-minute', '1000000', '--per-day', '1000')
    using disk = startFaultyDisk()
    const service = await startService({ database, env: disk.env })
    try {
      const port = portOf(service)
      await call(port, { method: 'POST', key, body: '{"name":"first","categoryId":1}' })
      disk.delay(700)
      const startedMs = performance.now()
      let doneMs = 0
      const made = call(port, { method: 'POST', key, body: '{"name":"slow","categoryId":1}' }).then((answer) => {
        doneMs = performance.now()
        return answer
      })
      for (let n = 0; n < 10; n += 1) assertWhole(await call(port, { key }), 200)
      assert.equal(doneMs, 0, 'ten lists were answered while one create waited for the disk')
      assertWhole(await made, 201)
      assert(doneMs - startedMs >= 700)
      const stoppedMs = performance.now()
      assert.equal(await service.stop(), 0)
      assert(performance.now() - stoppedMs < 10_000)
    } finally {
      service.process.kill('SIGKILL')
    }
    await using again = await startService({ database })
    assert.equal((await call(portOf(again), { key })).headers['x-ratelimit-remaining'], '987')
  })
})

describe('a damaged page', () => {
  it('is a 503 for who needs it; the process lives, and the other animals are served (O23)', async () => {
    const path = `${folder}/damaged.db`
    const key = await issue(`sqlite:${path}`, ...LARGE)
    writeFileSync(`${folder}/many.csv`, `name,categoryId\n${`${'x'.repeat(100)},1\n`.repeat(5_000)}`)
    assert.equal((await pets(['import', '--database', `sqlite:${path}`, `${folder}/many.csv`])).code, 0)
    damageMiddleOf(path)
    await using service = await startService({ database: `sqlite:${path}` })
    const port = portOf(service)
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
