/** Refreshes a screen periodically while the page is visible. */

const EVERY_MS = 15_000
/** After a call the next one waits for so many times as long as it took: open screens are a small part of the work. */
const REST = 20
/** A person counts as working for this long after the last sign of it. */
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

/** Whether the page was used a moment ago. */
export function isInUse() {
  return Date.now() - lastSignMs < AT_WORK_MS
}

/**
 * Calls `work` every 15 seconds, or more seldom if it takes long, and whenever the page becomes visible, one call at a
 * time. The requests of `work` should be unattended. The result stops it, and calls `end`.
 */
export function startPolling(work: () => Promise<void> | void, end: () => void = () => {}): () => void {
  let isRunning = false
  let restsUntilMs = 0
  const unlessHidden = async () => {
    if (document.hidden || isRunning) return
    isRunning = true
    const beganMs = Date.now()
    try {
      await work()
    } finally {
      isRunning = false
      restsUntilMs = Date.now() + REST * (Date.now() - beganMs)
    }
  }
  const timer = setInterval(() => {
    if (Date.now() >= restsUntilMs) void unlessHidden()
  }, EVERY_MS)
  document.addEventListener('visibilitychange', unlessHidden)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', unlessHidden)
    end()
  }
}
