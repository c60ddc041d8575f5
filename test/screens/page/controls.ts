/** Whether each control can be pressed: nothing lies over it, and it is large enough for a finger. */
import { type Asked, report, scrolledTo, textNodesOf } from './findings.ts'

const LEAST_TOUCH = 44

export const CONTROLS =
  'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="menuitemradio"], [tabindex="0"]'

function belongs(hit: Element | null, control: Element): boolean {
  if (hit === null) return false
  if (hit === control || control.contains(hit)) return true
  const label = hit.closest('label')
  return label !== null && (label.control === control || label === control)
}

/** The points of a control at which it must answer: its middle, and its corners as far as they are round. */
function pointsOf(control: Element): [number, number][] {
  const { borderTopLeftRadius, borderBottomRightRadius } = getComputedStyle(control)
  const round = Math.max(0, ...[borderTopLeftRadius, borderBottomRightRadius].map(Number.parseFloat))
  return [...control.getClientRects()].flatMap((box): [number, number][] => {
    if (box.width < 1 || box.height < 1) return []
    const inset = 2 + 0.3 * Math.min(round, box.width / 2, box.height / 2)
    const [left, right, top, bottom] = [box.left + inset, box.right - inset, box.top + inset, box.bottom - inset]
    const middle: [number, number] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    return [middle, [left, top], [right, top], [left, bottom], [right, bottom]]
  })
}

/** The points at which something else answers; of points that have answered before, none is asked again. */
function missesOf(control: Element, before?: readonly boolean[]): boolean[] {
  return pointsOf(control).map(
    ([x, y], n) => before?.[n] !== false && !belongs(document.elementFromPoint(x, y), control),
  )
}

/**
 * How long the strip is on which a finger hits the control, through its middle, up and down or across, as far as it
 * matters: a label or a whole row may count with it.
 */
function reachOf(control: Element, isAcross: boolean): number {
  const box = control.getClientRects()[0]
  if (box === undefined) return 0
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const isHit = (by: number) =>
    belongs(isAcross ? document.elementFromPoint(x + by, y) : document.elementFromPoint(x, y + by), control)
  let [before, behind] = [0, 0]
  while (before < LEAST_TOUCH && isHit(-before - 1)) before += 1
  while (before + behind < LEAST_TOUCH && isHit(behind)) behind += 1
  return before + behind
}

/** The lesser of height and width; one with words is wide enough, one of an icon, a sign or a number may not be. */
function touchOf(control: Element): number {
  const isLone = !/\p{L}/u.test(control.textContent) && !control.matches('input:not([type="checkbox"], [type="radio"])')
  const { width, height } = control.getBoundingClientRect()
  const high = height > LEAST_TOUCH - 1 ? LEAST_TOUCH : reachOf(control, false)
  const wide = !isLone || width > LEAST_TOUCH - 1 ? LEAST_TOUCH : reachOf(control, true)
  return Math.min(high, wide)
}

/** The exception of WCAG 2.5.8: a link in a sentence has the height of its line. */
function isInSentence(control: Element): boolean {
  const { parentElement } = control
  if (getComputedStyle(control).display !== 'inline' || parentElement === null) return false
  return textNodesOf(parentElement).length > 0
}

/**
 * Scrolls until all of a control answers and it is large enough; what a bar at an edge covers can be had by scrolling.
 */
export function assertControls(controls: readonly Element[], { isTouched, isFixed }: Asked): void {
  const at = scrolledTo()
  for (const control of controls) {
    const isFree = !isTouched || isInSentence(control)
    let missed = missesOf(control)
    let reach = isFree ? LEAST_TOUCH : touchOf(control)
    for (const block of ['center', 'end', 'start'] as const) {
      if (isFixed || (!missed.includes(true) && reach >= LEAST_TOUCH - 1)) break
      control.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' })
      missed = missesOf(control, missed)
      reach = Math.max(reach, isFree ? LEAST_TOUCH : touchOf(control))
    }
    const count = missed.filter(Boolean).length
    if (count > 0 || missed.length === 0) report('is under another', control, count)
    if (reach < LEAST_TOUCH - 1) report('small target', control, LEAST_TOUCH - reach)
  }
  scrollTo({ top: at, behavior: 'instant' })
  document.body.scrollTop = at
}
