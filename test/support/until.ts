/** Waiting for something that a test cannot be told of: a line in a log, a file, a server that is up. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const TRY_EVERY_MS = 20

/** Tries until `holds` does; fails with `what` after `withinMs`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const endMs = performance.now() + withinMs
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, `still not so after ${withinMs} ms: ${what}`)
    await sleep(TRY_EVERY_MS)
  }
}
