/** Keeps what a screen shows up to date, again and again while the page is in view. */

const EVERY_MS = 15_000
/** Somebody who moves or types is at work for this long after. */
const AT_WORK_MS = 20_000

let lastSignMs = Date.now()

for (const event of ['pointermove', 'pointerdown', 'keydown', 'scroll']) {
  addEventListener(
    event,
    () => {
      lastSignMs = Date.now()
    },
    { capture: true, passive: true },
  )
}

/** Whether somebody has just used the page. */
export function isAtWork() {
  return Date.now() - lastSignMs < AT_WORK_MS
}

/**
 * Calls `work` every 15 seconds, and as soon as the page comes into view again, but not before the call before has
 * ended. What it asks of the service should be marked as unattended. The result ends it.
 */
export function keepFresh(work: () => Promise<void> | void): () => void {
  let isRunning = false
  const unlessHidden = async () => {
    if (document.hidden || isRunning) return
    isRunning = true
    try {
      await work()
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(unlessHidden, EVERY_MS)
  document.addEventListener('visibilitychange', unlessHidden)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', unlessHidden)
  }
}
