/** Keeps what a screen shows up to date: again and again while the page is in view and somebody is there. */

const EVERY_MS = 15_000
/** Without a sign of somebody for this long the page rests, so that a session left alone can end. */
const AWAY_MS = 600_000

let lastSignMs = Date.now()
/** @type {Set<() => void>} */
const waiting = new Set()

for (const event of ['pointermove', 'pointerdown', 'keydown', 'scroll', 'focus']) {
  addEventListener(
    event,
    () => {
      const wasAway = Date.now() - lastSignMs > AWAY_MS
      lastSignMs = Date.now()
      if (wasAway) for (const work of waiting) work()
    },
    { capture: true, passive: true },
  )
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) for (const work of waiting) work()
})

/**
 * Calls `work` every 15 seconds, and as soon as the page comes into view again.
 * @param {() => void} work
 * @returns {() => void} ends it
 */
export function keepFresh(work) {
  const timer = setInterval(() => {
    if (!document.hidden && Date.now() - lastSignMs <= AWAY_MS) work()
  }, EVERY_MS)
  waiting.add(work)
  return () => {
    clearInterval(timer)
    waiting.delete(work)
  }
}
