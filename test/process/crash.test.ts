/** What survives a crash or a stop of a real process. Counters, bans and the ledger: test/histories. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, RawConnection } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { assertStored, startCreates } from './creates.ts'

const ROUNDS = 20
/** A stop takes ten seconds at most, on a busy machine twice as long; a client may take 30 s to finish a request. */
const AT_STOP_MS = 20_000

const folder = temporaryFolder()

it(`kill -9 during creates loses nothing acknowledged and gives no id twice, ${ROUNDS} times (R4, R9)`, async () => {
  const database = `sqlite:${folder}/kill.db`
  const { key } = await commandsOn(database).key(...LARGE)
  const acknowledged = new Map<number, string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService({ database, operatorPort: 'none' })
    const before = acknowledged.size
    const creates = startCreates(service.port, key, `${round}`, acknowledged)
    while (acknowledged.size < before + 5) await pause(1)
    await pause((round * 7) % 40)
    await service.kill()
    await creates.ended
  }
  await assertStored(database, acknowledged)
})

/** Runs `code` in the thread that writes, after the commit of so many batches and before it tells of the last. */
function atCommit(count: number, code: string): { NODE_OPTIONS: string } {
  const preloaded = `
    import { isMainThread, MessagePort } from 'node:worker_threads'
    const { postMessage } = MessagePort.prototype
    let commits = 0
    if (!isMainThread) MessagePort.prototype.postMessage = function (message, ...more) {
      if (message?.value?.firstId !== undefined && ++commits === ${count}) { ${code} }
      return postMessage.call(this, message, ...more)
    }`
  return { NODE_OPTIONS: `--import data:text/javascript;base64,${Buffer.from(preloaded).toString('base64')}` }
}

it('the thread that writes is replaced if it ends, and loses nothing that was acknowledged (R9, O23)', async () => {
  const database = `sqlite:${folder}/thread.db`
  const { key } = await commandsOn(database).key(...LARGE)
  await using service = await startService({ database, env: atCommit(5, 'process.exit(3)'), operatorPort: 'none' })
  const port = service.port
  const acknowledged = new Map<number, string>()
  const statuses = new Set<number>()
  for (let n = 0; n < 20; n += 1) {
    const answer = await call(port, { method: 'POST', key, body: `{"name":"${n}","categoryId":1}` })
    assertWhole(answer, answer.status === 201 ? 201 : 503)
    if (answer.status === 503) assert.match(answer.body, /cannot tell whether/)
    statuses.add(answer.status)
    if (answer.status === 201) acknowledged.set((JSON.parse(answer.body) as { id: number }).id, `${n}`)
    assertWhole(await call(port, { key }), 200)
  }
  assert.deepEqual([...statuses].sort(), [201, 503])
  assert.match(service.output(), /The writer thread has ended \(exit code 3\) and is started again/)
  await assertStored(database, acknowledged)
})

/** What a client may have sent when the service stops. */
const HALF_REQUESTS = [
  'POST /api/session HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na',
  '',
  'GET /v1/pets HT',
  'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 5\r\n\r\na',
]

describe('SIGTERM', () => {
  it('saves the counters also while another process holds the database', async () => {
    const path = `${folder}/busy.db`
    const { key } = await commandsOn(`sqlite:${path}`).key('enterprise', '--per-minute', '1000000', '--per-day', '1000')
    const service = await startService({ database: `sqlite:${path}`, operatorPort: 'none' })
    await call(service.port, { key })
    await pause(150)
    const other = new DatabaseSync(path, { timeout: 5_000 })
    other.exec('BEGIN IMMEDIATE')
    for (let i = 0; i < 9; i += 1) await call(service.port, { key })
    const stopped = service.stop()
    await pause(400)
    other.exec('COMMIT')
    other.close()
    assert.equal(await stopped, 0)
    await using again = await startService({ database: `sqlite:${path}`, operatorPort: 'none' })
    assert.equal((await call(again.port, { key })).headers['x-ratelimit-remaining'], '989')
  })

  it('answers what is in progress and what still arrives under load, and exits within 10 s (R15)', async () => {
    const database = `sqlite:${folder}/term.db`
    const { key } = await commandsOn(database).key(...LARGE)
    const service = await startService({ database, args: ['--office'] })
    const { port, operatorPort } = service
    const acknowledged = new Map<number, string>()
    using halves = new DisposableStack()
    for (const half of HALF_REQUESTS) {
      for (const each of [port, operatorPort]) {
        const connection = halves.use(new RawConnection(each))
        connection.socket.pause()
        connection.send(half)
      }
    }
    const creates = startCreates(port, key, 't', acknowledged)
    const body = '{"name":"slow","categoryId":1}'
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
    using slow = new RawConnection(port)
    slow.send(
      `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    )
    using late = new RawConnection(port)
    late.send(`GET /v1/pets HTTP/1.1\r\n${head}`)
    while (acknowledged.size < 50) await pause(1)

    const started = performance.now()
    const stopped = service.stop()
    await creates.ended
    const [listed] = await late.send('\r\n').answers(1)
    assertWhole(listed, 200)
    assert.equal(listed.headers.connection, 'close')
    const [made] = await slow.send(body.slice(9)).answers(1)
    assertWhole(made, 201)
    assert.equal(made.headers.connection, 'close')
    acknowledged.set((JSON.parse(made.body) as { id: number }).id, 'slow')
    assert.equal(await stopped, 0)
    assert(performance.now() - started < AT_STOP_MS)
    await assertStored(database, acknowledged)
  })
})
