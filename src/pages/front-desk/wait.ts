/**
 * The countdown while the page waits. The waiting is the typed client's: it holds back every request for as long as the
 * service asks.
 */

import type { CallError, Hold } from 'pet-adoption-client'
import { PetAdoptionError } from 'pet-adoption-client'
import { announce, element } from './page.ts'

const notice = element('wait', HTMLElement)
const reason = element('wait-reason', HTMLElement)
const promise = element('wait-promise', HTMLElement)
const count = element('wait-count', HTMLElement)

let untilMs = 0

/** Shows the wait and, if an answer asked for it, that answer's error. */
export function showWait({ waitMs, error }: Hold & { error?: CallError }) {
  const isLimit = error === undefined || (error instanceof PetAdoptionError && error.status === 429)
  untilMs = Math.max(untilMs, Date.now() + waitMs)
  reason.textContent = isLimit ? 'The allowance of this key is used up.' : 'The service does not answer at the moment.'
  promise.textContent = isLimit
    ? 'The page continues by itself when requests are available again.'
    : 'The page tries again by itself.'
  notice.hidden = false
  draw()
  announce(`${reason.textContent} ${promise.textContent} This takes ${count.textContent}.`)
}

/** Called on a response: ends the notice unless the time is not over. */
export function endWait() {
  if (notice.hidden || Date.now() < untilMs) return
  notice.hidden = true
  announce('Continuing.')
}

/** Called when the key that waited is forgotten. */
export function dropWait() {
  untilMs = 0
  notice.hidden = true
}

function draw() {
  if (notice.hidden) return
  const seconds = Math.ceil((untilMs - Date.now()) / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const clock = `${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds <= 0) count.textContent = 'Continuing …'
  else count.textContent = seconds <= 90 ? `${seconds} s` : `${hours > 0 ? `${hours}:` : ''}${clock}`
}

setInterval(draw, 250)
