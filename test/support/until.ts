/**
 * Waiting for something that a test cannot be told of: a line in a log, a file, a server that is up. And trying again
 * what a machine that is busy with something else can spoil.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const TRY_EVERY_MS = 20
const MINUTE_MS = 60_000

/** Tries until `holds` does; fails with `what` after `withinMs`, which only something that hangs takes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const endMs = performance.now() + withinMs
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, `still not so after ${withinMs} ms: ${what}`)
    await sleep(TRY_EVERY_MS)
  }
}

/** What another process or thread says, or makes; fails at once, with what it has written, where it ends before. */
export function unlessEnded<T>(said: Promise<T>, ended: Promise<unknown>, written = () => ''): Promise<T> {
  const fail = (code: unknown) => assert.fail(`it ended with ${code} before: ${written()}`)
  return Promise.race([said, ended.then(fail)])
}

/**
 * For bounds in time and moments to be hit: a defect misses them each time, a busy machine now and then. Ends with the
 * first try that does not say what was wrong; fails with what each of them has said.
 */
export async function oneOf(tries: number, attempt: (n: number) => Promise<string | undefined>): Promise<void> {
  const wrong: string[] = []
  while (wrong.length < tries) {
    const said = await attempt(wrong.length)
    if (said === undefined) return
    wrong.push(said)
  }
  assert.fail(`in none of ${tries} tries: ${wrong.join('; ')}`)
}

/**
 * Resolves when so much of the day is left, of UTC, of this machine and of these zones, that what is done from now on is
 * of today when it is looked at.
 */
export async function dayWith(neededMs: number, ...zones: readonly string[]): Promise<void> {
  for (const zone of ['UTC', Temporal.Now.timeZoneId(), ...zones]) {
    const now = Temporal.Now.zonedDateTimeISO(zone)
    const leftMs = now.startOfDay().add({ days: 1 }).epochMilliseconds - now.epochMilliseconds
    if (leftMs < neededMs) await sleep(leftMs + 100)
  }
}

/** What `work` gives when no UTC minute has begun meanwhile (O12): until then it is done again. */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE_MS)
    const result = await work()
    if (Math.floor(Date.now() / MINUTE_MS) === minute) return result
  }
}
