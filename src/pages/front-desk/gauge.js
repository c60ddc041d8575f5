/** The remaining allowance of the key and its reset time, from the latest response (the three limit headers). */
import { element } from './page.js'

/** @import { RateLimit } from '../../../client/src/index.ts' */

/** From this share on the gauge changes its colour. */
const LOW = 0.15
/** Up to this many seconds the time is counted down; for longer times the hour is shown. */
const COUNTED_S = 120

const gauge = element('gauge', HTMLElement)
const left = element('gauge-left', HTMLElement)
const of = element('gauge-of', HTMLElement)
const bar = element('gauge-bar', HTMLElement)
const reset = element('gauge-reset', HTMLElement)
const number = new Intl.NumberFormat('en')
const hour = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' })

/** @type {RateLimit | undefined} */
let shown

/** @param {RateLimit | undefined} rateLimit undefined to hide the gauge */
export function showAllowance(rateLimit) {
  shown = rateLimit
  draw()
}

function draw() {
  gauge.hidden = shown === undefined
  if (shown === undefined) return
  const { limit, remaining } = shown
  const seconds = Math.ceil((shown.reset.getTime() - Date.now()) / 1000)
  left.textContent = number.format(remaining)
  of.textContent = `of ${number.format(limit)} requests left`
  bar.style.setProperty('--share', `${(100 * remaining) / limit}%`)
  gauge.classList.toggle('low', remaining <= limit * LOW)
  if (seconds <= 0) reset.textContent = 'has been renewed'
  else reset.textContent = seconds <= COUNTED_S ? `resets in ${seconds} s` : `resets at ${hour.format(shown.reset)}`
}

setInterval(draw, 1000)
