/**
 * The delay of the event loop is told while there is something to do. That an idle one is left alone is shown from
 * outside, in test/process/idle.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EventLoopDelay } from '../../src/operator/event-loop-delay.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

/** How often the event loop is looked at, and for how long it is held up here. */
const [LOOK_MS, HELD_MS] = [500, 300]

function holdUp(): void {
  const startMs = performance.now()
  while (performance.now() - startMs < HELD_MS);
}

describe('the delay of the event loop', () => {
  it('is that of what holds it up, since the last reset', async () => {
    const clock = new VirtualClock()
    const delay = new EventLoopDelay(clock)
    delay.start()
    holdUp()
    await nextTurn()
    clock.pass(LOOK_MS)
    assert.equal(delay.quantileMs(1), 0, 'measured from now on')
    await until('the delay is seen', () => {
      holdUp()
      return delay.quantileMs(1) > HELD_MS / 2
    })
    delay.reset()
    assert.equal(delay.quantileMs(1), 0, 'forgotten')
    delay.stop()
  })
})
