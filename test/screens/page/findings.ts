/** What is asked of a measurement, what it has found, and what several of its rules look up. */

export interface Asked {
  /** What is in front: only what is in it can be seen whole and used. */
  readonly scope: string
  /** Whether fingers press here. */
  readonly isTouched: boolean
  /** Whether scrolling would close what is shown. */
  readonly isFixed: boolean
}

export interface Finding {
  readonly rule: string
  readonly element: string
  /** By how much, in pixels. */
  readonly px: number
}

/** Rounding to device pixels is no fault. */
export const TOLERANCE = 1.5

export const findings: Finding[] = []

/** Boxes that have been reported: what is in them is outside with them. */
export const reported = new Set<Element>()

export function report(rule: string, element: Element, px: number): void {
  if (reported.has(element) || [...reported].some((outer) => outer.contains(element) && rule !== 'small target')) return
  if (rule === 'outside the window') reported.add(element)
  findings.push({ rule, element: describe(element), px: Math.round(px) })
}

export function describe(element: Element): string {
  const id = element.id === '' || element.id.startsWith('field-') ? '' : `#${element.id}`
  const classes = [...element.classList].map((name) => `.${name}`).join('')
  const said = element.getAttribute('aria-label') ?? element.textContent.trim()
  return `${element.tagName.toLowerCase()}${id}${classes} “${said.replaceAll(/\s+/g, ' ').slice(0, 40)}”`
}

export function isHiddenFromEye(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (getComputedStyle(at).clipPath === 'inset(50%)') return true
  }
  return false
}

/** The window scrolls, or the body does. */
export function scrolledTo(): number {
  return scrollY + document.body.scrollTop
}

export function textNodesOf(element: Element): Text[] {
  return [...element.childNodes].filter((node) => node instanceof Text).filter(({ data }) => data.trim() !== '')
}
