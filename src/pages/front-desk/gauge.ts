/** The key's remaining allowance and its reset, from the three limit headers of the latest response. */

import type { RateLimit } from 'pet-adoption-client'
import { element } from './page.ts'

/** The part of the allowance below which the gauge changes colour. */
const LOW = 0.15
/** Up to this many seconds the reset is counted down; a later one is shown as a time. */
const COUNTED_S = 120

const gauge = element('gauge', HTMLElement)
const left = element('gauge-left', HTMLElement)
const of = element('gauge-of', HTMLElement)
const bar = element('gauge-bar', HTMLElement)
const reset = element('gauge-reset', HTMLElement)
const number = new Intl.NumberFormat('en')
const hour = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' })

let shown: RateLimit | undefined
/** How far this machine's clock is ahead of the service's, in milliseconds. */
let aheadMs = 0

/** Hides the gauge if there is no `rateLimit`. */
export function showAllowance(rateLimit: RateLimit | undefined) {
  shown = rateLimit
  draw()
}

/**
 * The reset is a time of the service's clock, from which this machine's may differ by minutes. `date` is the `Date` of
 * a response just received.
 */
export function learnClock(date: string | null) {
  const dateMs = Date.parse(date ?? '')
  if (!Number.isNaN(dateMs)) aheadMs = Date.now() - dateMs
}

function draw() {
  gauge.hidden = shown === undefined
  if (shown === undefined) return
  const { limit, remaining } = shown
  const seconds = Math.ceil((shown.reset.getTime() + aheadMs - Date.now()) / 1000)
  const isOver = seconds <= 0
  // Only the next response tells what is left after a reset: the other window may leave less.
  left.textContent = isOver ? '' : number.format(remaining)
  of.textContent = isOver ? 'The allowance has been renewed' : `of ${number.format(limit)} requests left`
  bar.style.setProperty('--share', isOver ? '100%' : `${(100 * remaining) / limit}%`)
  gauge.classList.toggle('low', !isOver && remaining <= limit * LOW)
  if (isOver) reset.textContent = ''
  else reset.textContent = seconds <= COUNTED_S ? `resets in ${seconds} s` : `resets at ${hour.format(shown.reset)}`
}

setInterval(draw, 1000)
