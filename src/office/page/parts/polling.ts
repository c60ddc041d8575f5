/** Refreshes a screen periodically while the page is visible. */

const EVERY_MS = 15_000
/** The pause after a call, in multiples of its duration, so that open screens cause little load. */
const REST = 20
/** How long after the last input a person counts as active. */
const AT_WORK_MS = 20_000

let lastSignMs = performance.now()

for (const event of ['pointermove', 'pointerdown', 'keydown', 'scroll']) {
  addEventListener(
    event,
    () => {
      lastSignMs = performance.now()
    },
    { capture: true, passive: true },
  )
}

export function isInUse() {
  return performance.now() - lastSignMs < AT_WORK_MS
}

export function isMenuOpen() {
  return document.querySelector('.menu:popover-open') !== null
}

export async function whenMenuClosed() {
  while (isMenuOpen())
    await new Promise((resolve) => document.addEventListener('toggle', resolve, { capture: true, once: true }))
}

export function startPolling(work: () => Promise<void> | void, signal: AbortSignal) {
  let isRunning = false
  let restsUntilMs = 0
  const unlessHidden = async () => {
    if (document.hidden || isRunning || isMenuOpen()) return
    isRunning = true
    const beganMs = performance.now()
    try {
      await work()
    } finally {
      isRunning = false
      restsUntilMs = performance.now() + REST * (performance.now() - beganMs)
    }
  }
  const timer = setInterval(() => {
    if (performance.now() >= restsUntilMs) void unlessHidden()
  }, EVERY_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  document.addEventListener('visibilitychange', unlessHidden, { signal })
}
