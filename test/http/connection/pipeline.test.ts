/**
 * Requests that wait on their connection for the responses before them: nothing is done for one until its turn has
 * come, and no client makes the service hold more than ten thousand of them (O19, O23).
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { Pipeline } from '../../../src/http/pipeline.ts'

const MOST = 10_000

/** A connection as the pipeline knows it. */
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

  /** `count` more requests arrive. */
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
  it('begin in their turn, each in a turn of the event loop of its own; nothing more is read meanwhile', async () => {
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

  it('are ten thousand over all connections at most: one more ends its connection, and begins never', async () => {
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

  it('leave their room to others when their turn has come, and when their connection ends', async () => {
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
