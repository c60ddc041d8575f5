/**
 * Warms up node's `process.nextTick` before the service accepts requests. V8 specialises the object that nextTick
 * creates for each tick on its first thousand calls; with the mixed calls of a start-up it settles on a slow path for
 * good, and each request pays 2 µs for its four ticks. A few milliseconds here avoid that (docs/performance.md).
 */
const ROUNDS = 10
const TICKS = 100

export async function warmUpTicks(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let tick = 0; tick < TICKS; tick += 1) process.nextTick(nothing)
    await new Promise(setImmediate)
  }
}

function nothing(): void {}
