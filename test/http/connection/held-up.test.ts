/** What holds a connection up, and how many requests can wait on it (O19, O23). */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { Pipeline } from '../../../src/http/connections.ts'
import { startApp, startKeyed } from '../../support/app.ts'
import { assertWhole, BODY, exchange, RawConnection, statusesOf } from '../../support/http.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'

const LONG_MS = 300_000

it('arriving bodies reserve as much memory as they can grow to, and get 503 if none is left (O19)', async () => {
  await using app = await startApp({ bufferBytes: 100_000, bodyLimit: 65_536 })
  const auth = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\nContent-Type: application/json\r\n`
  const chunked = `POST /v1/pets HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n`
  const all = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
  using first = new RawConnection(app.port)
  first.send(`${chunked}Expect: 100-continue\r\n\r\n`)
  assert.equal((await first.answers(1))[0]?.status, 100, 'its body is waited for')
  assertWhole((await exchange(app.port, `${chunked}Connection: close\r\n\r\n${all}`))[0], 503, 'unavailable')
  assertWhole((await first.send(all).answers(2))[1], 201)
  assertWhole((await exchange(app.port, `${chunked}Connection: close\r\n\r\n${all}`))[0], 201)
})

it('waiting requests are answered before a broken one behind them, however slow the writes (R15)', async () => {
  const clock = new VirtualClock()
  await using app = await startKeyed({ clock, timeouts: { headersMs: 200, requestMs: LONG_MS, sendMs: LONG_MS } })
  const { auth } = app
  const { pets } = app.store
  const create = pets.create.bind(pets)
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  let creations = 0
  pets.create = async (pet, keyId) => {
    creations += 1
    if (creations === 2) {
      asked.resolve()
      await told.promise
    }
    return create(pet, keyId)
  }
  const refused = new Promise((resolve) => app.publicPort.server.once('clientError', resolve))
  using connection = new RawConnection(app.port)
  connection.send(`${app.create.repeat(2)}GET /v1/none HTTP/1.1\r\n${auth}\r\nGET /v1/pets HT`)
  await Promise.all([asked.promise, refused])
  await new Promise(setImmediate)
  clock.pass(60_000)
  told.resolve()
  const answers = await connection.answers(Infinity)
  assert.deepEqual(statusesOf(answers), [201, 201, 404, 408])
})

it('an idle connection is closed, unless a request arrived while the event loop was held up', async () => {
  await using app = await startApp()
  Object.assign(app.publicPort.server, { keepAliveTimeout: 1_000, keepAliveTimeoutBuffer: 0 })
  const request = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'
  using connection = new RawConnection(app.port)
  await connection.send(request).answers(1)
  await new Promise(setImmediate) // its time runs
  connection.send(request)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
  assert.deepEqual(statusesOf(await connection.answers(2)), [401, 401])
  assert.equal((await connection.answers(Infinity)).length, 2)
})

const MOST = 10_000

class Connection extends EventEmitter {
  destroyed = false
  isPaused = false
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

class Line {
  readonly pipeline: Pipeline
  readonly connection = new Connection()
  readonly begun: number[] = []
  readonly #responses: EventEmitter[] = []

  constructor(pipeline: Pipeline) {
    this.pipeline = pipeline
    this.connection.setMaxListeners(0)
  }

  get socket(): Socket {
    return this.connection as unknown as Socket
  }

  arrive(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const response = Object.assign(new EventEmitter(), { req: { socket: this.connection } })
      const number = this.#responses.push(response)
      this.pipeline.wait(response as unknown as ServerResponse, () => this.begun.push(number))
    }
  }

  /** The response before the request leaves, the first of which is 1. */
  async giveTurnTo(number: number): Promise<void> {
    this.#responses[number - 1]?.emit('socket', this.connection)
    await new Promise(setImmediate)
  }
}

describe('requests that wait on a connection', () => {
  it('begin one in each turn of the event loop, while nothing more is read', async () => {
    const line = new Line(new Pipeline())
    assert(!line.pipeline.hasWaiting(line.socket))
    line.arrive(2)
    assert(line.pipeline.hasWaiting(line.socket))
    assert(line.connection.isPaused)
    const first = line.giveTurnTo(1)
    assert.deepEqual(line.begun, [], 'not in the turn in which the response before it leaves')
    await first
    assert.deepEqual(line.begun, [1])
    assert(line.connection.isPaused, 'one still waits')
    await line.giveTurnTo(2)
    assert.deepEqual(line.begun, [1, 2])
    assert(!line.connection.isPaused)
    assert(!line.pipeline.hasWaiting(line.socket))
  })

  it('are at most ten thousand, and one more ends its connection', async () => {
    const pipeline = new Pipeline()
    const [one, two] = [new Line(pipeline), new Line(pipeline)]
    one.arrive(MOST - 1)
    two.arrive(1)
    assert(!two.connection.destroyed)
    two.arrive(1)
    assert(two.connection.destroyed)
    await two.giveTurnTo(1)
    await two.giveTurnTo(2)
    assert.deepEqual(two.begun, [])
    assert(!one.connection.destroyed, 'the others go on')
  })

  it('no longer count when they begin or their connection ends', async () => {
    const pipeline = new Pipeline()
    const [one, two] = [new Line(pipeline), new Line(pipeline)]
    const hasRoomFor = (count: number) => {
      const line = new Line(pipeline)
      line.arrive(count)
      const fits = !line.connection.destroyed
      line.arrive(1)
      assert(line.connection.destroyed, `and for no more than ${count}`)
      return fits
    }
    one.arrive(6_000)
    two.arrive(3_000)
    assert(hasRoomFor(1_000))
    await one.giveTurnTo(1)
    await one.giveTurnTo(2)
    assert(hasRoomFor(1_002))
    one.connection.destroy()
    assert(!pipeline.hasWaiting(one.socket))
    assert(hasRoomFor(7_000))
    await one.giveTurnTo(3)
    assert.deepEqual(one.begun, [1, 2])
    assert(hasRoomFor(7_000), 'what had waited on it is not given back twice')
  })
})
