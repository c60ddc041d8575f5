/**
 * The thread that keeps the public page as the animals are, so that the event loop does none of it. It has a connection
 * of its own, looks often whether something has changed, and takes 2 % of one core at most (pace.ts), however many
 * animals there are and however often they change. It says what became of each try, and ends when it is told so.
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Timer } from '../common/clock.ts'
import { ExplainedError, isOfSystem } from '../common/errors.ts'
import { systemClock } from '../common/system-clock.ts'
import { type PagePlan, publish } from '../public-page/publisher.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { Pace } from './pace.ts'

/** To the service. */
export type PublishingMessage =
  | { readonly kind: 'published'; readonly animals: number; readonly written: readonly string[] }
  /** `isExplained`: a person can mend it, or it passes. */
  | { readonly kind: 'failed'; readonly message: string; readonly isExplained: boolean }

/** With the page of a small shelter and its syncs, less than a second from a change to the file. */
const LOOK_EVERY_MS = 400
/** The folder or the database cannot be had: it is tried again after this time. */
const RETRY_MS = 1_000
/** What nobody else wants of the processor. */
const LEAST_PRIORITY = 19

const { database, plan } = workerData as { readonly database: string; readonly plan: PagePlan }
const { monotonic } = systemClock
const tell = (message: PublishingMessage) => parentPort?.postMessage(message)

let store: Store | undefined
let seen: string | undefined
let isOver = false
let rest: { readonly timer: Timer; readonly end: () => void } | undefined
parentPort?.once('message', () => {
  isOver = true
  systemClock.cancel(rest?.timer)
  rest?.end()
})
yieldToOthers()
// What the first page takes is not counted: the code is cold, and a change right behind it would wait for seconds.
let isGood = await look()
const pace = new Pace(monotonic())
for (let busyMs = ofProcessorMs(); !isOver; isGood = await look()) {
  const beforeMs = busyMs
  busyMs = ofProcessorMs()
  const ms = Math.max(pace.rest(busyMs - beforeMs, monotonic()), isGood ? LOOK_EVERY_MS : RETRY_MS)
  if (isOver) break
  await new Promise<void>((resolve) => {
    rest = { timer: systemClock.after(ms, resolve), end: resolve }
  })
}
await store?.close()
parentPort?.close()

/** False after a failure. */
async function look(): Promise<boolean> {
  try {
    store ??= await openStore(database, { serving: false, clock: systemClock, mustExist: true })
    const mark = await store.changeMark()
    if (mark === seen) return true
    tell({ kind: 'published', ...(await publish(store, plan, systemClock.now())) })
    seen = mark
    return true
  } catch (error) {
    seen = undefined
    const message = error instanceof Error ? error.message : String(error)
    tell({ kind: 'failed', message, isExplained: error instanceof ExplainedError || isOfSystem(error) })
    return false
  }
}

function ofProcessorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** On Linux a priority is that of one thread. Elsewhere it would be that of the service. */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LEAST_PRIORITY)
  } catch {} // where a filter of system calls refuses that, the pace is bound enough
}
