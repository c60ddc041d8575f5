/** Waits for what no event reports, such as a file or a server, and repeats what a busy machine can spoil. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const TRY_EVERY_MS = 20
const MINUTE_MS = 60_000

/** Fails with `what` after `withinMs`, which only something that hangs takes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const endMs = performance.now() + withinMs
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, `still not so after ${withinMs} ms: ${what}`)
    await sleep(TRY_EVERY_MS)
  }
}

/** Fails with what a process has written if it ends before. */
export function unlessEnded<T>(said: Promise<T>, ended: Promise<unknown>, written = () => ''): Promise<T> {
  const fail = (code: unknown) => assert.fail(`it ended with ${code} before: ${written()}`)
  return Promise.race([said, ended.then(fail)])
}

/** For bounds in time, which a defect misses each time and a busy machine now and then. A try returns what was wrong. */
export async function oneOf(tries: number, attempt: (n: number) => Promise<string | undefined>): Promise<void> {
  const wrong: string[] = []
  while (wrong.length < tries) {
    const said = await attempt(wrong.length)
    if (said === undefined) return
    wrong.push(said)
  }
  assert.fail(`in none of ${tries} tries: ${wrong.join('; ')}`)
}

/** Resolves when this much of the day is left, in UTC, on this machine and in these zones. */
export async function dayWith(neededMs: number, ...zones: readonly string[]): Promise<void> {
  for (const zone of ['UTC', Temporal.Now.timeZoneId(), ...zones]) {
    const now = Temporal.Now.zonedDateTimeISO(zone)
    const leftMs = now.startOfDay().add({ days: 1 }).epochMilliseconds - now.epochMilliseconds
    if (leftMs < neededMs) await sleep(leftMs + 100)
  }
}

/** Repeats `work` until no UTC minute begins during it (O12). */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE_MS)
    const result = await work()
    if (Math.floor(Date.now() / MINUTE_MS) === minute) return result
  }
}
