/** How long a peer may leave its answers unread, by a clock that the test sets, over real connections (O19). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { UnreadResponses } from '../../../src/http/unread.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

const PATIENCE_MS = 30_000
/** It looks so often. */
const LOOK_MS = PATIENCE_MS / 60
/** More than the buffers of the system take. */
const ANSWER = Buffer.alloc(64_000_000)

/** A peer that has been sent an answer and has not read it. */
async function unread(act: (peer: Socket, socket: Socket) => Promise<void>): Promise<void> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const peer = connect(address.port, '127.0.0.1').pause()
  peer.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.write(ANSWER)
  try {
    await act(peer, socket)
  } finally {
    peer.destroy()
    socket.destroy()
    server.close()
  }
}

/** Waits until the system takes no more of the answer. */
async function settled(socket: Socket): Promise<void> {
  const handle = (socket as Socket & { readonly _handle: { readonly writeQueueSize: number } })._handle
  let before = -1
  let looks = 0
  await until('the system takes no more', () => {
    looks = handle.writeQueueSize === before ? looks + 1 : 0
    before = handle.writeQueueSize
    return looks === 30
  })
}

describe('a peer that does not read', () => {
  it('is cut when its time is over, and not before', () =>
    unread(async (_peer, socket) => {
      const clock = new VirtualClock()
      const answers = new UnreadResponses(PATIENCE_MS, clock)
      await settled(socket)
      answers.watch(socket)
      clock.pass(PATIENCE_MS - 1)
      assert.equal(socket.destroyed, false)
      clock.pass(1)
      assert.equal(socket.destroyed, true)
    }))

  it('has all of its time again from the last byte that it took, and once only', () =>
    unread(async (peer, socket) => {
      const clock = new VirtualClock()
      const answers = new UnreadResponses(PATIENCE_MS, clock)
      await settled(socket)
      answers.watch(socket)
      clock.pass(PATIENCE_MS - LOOK_MS)
      let read = 0
      await new Promise<void>((resolve) => {
        peer.on('data', (part: Buffer) => {
          read += part.length
          if (read < ANSWER.length / 4) return
          peer.pause()
          resolve()
        })
        peer.resume()
      })
      await settled(socket)
      clock.pass(LOOK_MS)
      clock.pass(PATIENCE_MS - 1)
      assert.equal(socket.destroyed, false)
      clock.pass(1)
      assert.equal(socket.destroyed, true)
    }))

  it('is looked at by one timer with all others, which ends with the last of them', () =>
    unread(async (peer, socket) => {
      const clock = new VirtualClock()
      const timers: string[] = []
      const answers = new UnreadResponses(PATIENCE_MS, {
        ...clock,
        now: clock.now,
        every: (ms, task) => {
          timers.push('begun')
          return clock.every(ms, task)
        },
        cancel: (timer) => {
          timers.push('ended')
          clock.cancel(timer)
        },
      })
      answers.watch(socket)
      answers.watch(socket)
      clock.pass(LOOK_MS)
      assert.deepEqual(timers, ['begun'])
      peer.resume()
      await until('everything is read', () => socket.writableLength === 0)
      clock.pass(10 * LOOK_MS)
      assert.deepEqual(timers, ['begun', 'ended'])
      answers.watch(socket)
      assert.deepEqual(timers, ['begun', 'ended', 'begun'])
    }))

  it('is not watched any more when it has read everything', () =>
    unread(async (peer, socket) => {
      const clock = new VirtualClock()
      const answers = new UnreadResponses(PATIENCE_MS, clock)
      answers.watch(socket)
      peer.resume()
      await until('everything is read', () => socket.writableLength === 0)
      clock.pass(10 * PATIENCE_MS)
      assert.equal(socket.destroyed, false)
    }))
})
