/** The system's clock takes nothing that has arrived for something that is late. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { it } from 'node:test'
import type { Timer } from '../../src/common/clock.ts'
import { systemClock as clock } from '../../src/common/system-clock.ts'

async function connection(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [far] = (await accepted) as [Socket]
  await once(near, 'ready')
  server.close()
  return [near, far]
}

for (const set of ['after', 'every'] as const) {
  it(`reads data that arrived while the process was blocked before it runs due timers: ${set}`, async () => {
    const [near, far] = await connection()
    await new Promise(setImmediate)
    const calls: string[] = []
    const both = Promise.withResolvers<void>()
    const due: Timer = clock[set](1, () => {
      calls.push('due')
      clock.cancel(due)
      both.resolve()
    })
    const late = clock[set](1, () => calls.push('late'))
    far.once('data', () => {
      calls.push('read')
      clock.cancel(late)
    })
    near.write('x')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    await both.promise
    assert.deepEqual(calls, ['read', 'due'])
    near.destroy()
    far.destroy()
  })
}
