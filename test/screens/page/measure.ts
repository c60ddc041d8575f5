/**
 * Measures what a page shows, in the browser: whether all of it lies within the window, whole and readable, and can be
 * pressed. It runs in the page as a script (../measuring.ts makes one of its modules). Lengths are CSS pixels.
 *
 * What is hidden from the eye and kept for screen readers is recognized by `clip-path: inset(50%)`; it must take no
 * room.
 */
interface Asked {
  /** What is in front: only what is in it can be seen whole and used. */
  readonly scope: string
  /** Whether fingers press here. */
  readonly isTouched: boolean
  /** Whether scrolling would close what is shown. */
  readonly isFixed: boolean
}

interface Finding {
  readonly rule: string
  readonly element: string
  /** By how much, in pixels. */
  readonly px: number
}

/** Rounding to device pixels is no fault. */
const TOLERANCE = 1.5

const findings: Finding[] = []

/** Boxes that have been reported: what is in them is outside with them. */
const reported = new Set<Element>()

function report(rule: string, element: Element, px: number): void {
  if (reported.has(element) || [...reported].some((outer) => outer.contains(element) && rule !== 'small target')) return
  if (rule === 'outside the window') reported.add(element)
  findings.push({ rule, element: describe(element), px: Math.round(px) })
}

function describe(element: Element): string {
  const id = element.id === '' || element.id.startsWith('field-') ? '' : `#${element.id}`
  const classes = [...element.classList].map((name) => `.${name}`).join('')
  const said = element.getAttribute('aria-label') ?? element.textContent.trim()
  return `${element.tagName.toLowerCase()}${id}${classes} “${said.replaceAll(/\s+/g, ' ').slice(0, 40)}”`
}

/** Of each element, as long as nothing changes its style: most are asked for again and again. */
const hidden = new Map<Element, boolean>()
const clips = new Map<Element, Element[]>()

function isHiddenFromEye(element: Element | null): boolean {
  if (element === null) return false
  const known = hidden.get(element)
  if (known !== undefined) return known
  const isHidden = getComputedStyle(element).clipPath === 'inset(50%)' || isHiddenFromEye(element.parentElement)
  hidden.set(element, isHidden)
  return isHidden
}

/** The window scrolls, or the body does. */
function scrolledTo(): number {
  return scrollY + document.body.scrollTop
}

function textNodesOf(element: Element): Text[] {
  return [...element.childNodes].filter((node) => node instanceof Text).filter(({ data }) => data.trim() !== '')
}

const LEAST_TOUCH = 44

const CONTROLS =
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
function assertControls(controls: readonly Element[], { isTouched, isFixed }: Asked): void {
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

interface Line {
  readonly box: DOMRect
  readonly owner: Element
}

/** Up to so many letters a word stands on one line. */
const SHORT_WORD = 12
/** So many letters without a space stand on no line of a phone, and break anywhere. */
const ENDLESS = /\S{40,}/g
/** Letters and digits together are no word, but a part of an id. */
const MIXED = /\p{L}\p{N}|\p{N}\p{L}/u
/** What the arrow of a select and the button of a field for a day take, about. */
const ARROW = 18

function isShown(element: Element): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true }) &&
    element.closest('svg svg, datalist, option, noscript, template') === null
  )
}

/** The lines of text below an element, each with the element that holds it. */
function linesOf(elements: readonly Element[]): Line[] {
  return elements.flatMap((owner) =>
    textNodesOf(owner).flatMap((node) => rectsOf(node, 0, node.data.length).map((box) => ({ box, owner }))),
  )
}

function rectsOf(node: Text, from: number, to: number): DOMRect[] {
  const range = document.createRange()
  range.setStart(node, from)
  range.setEnd(node, to)
  return [...range.getClientRects()].filter((box) => box.width > 0.5 && box.height > 0)
}

/** What a box is cut by: the elements around it that hide what leaves them. */
function clipsOf(element: Element | null): Element[] {
  if (element === null || element === document.body) return []
  const known = clips.get(element)
  if (known !== undefined) return known
  const { overflowX, overflowY } = getComputedStyle(element)
  const around = clipsOf(element.parentElement)
  const all = /hidden|clip/.test(`${overflowX} ${overflowY}`) ? [element, ...around] : around
  clips.set(element, all)
  return all
}

/** The whole of a text that is cut on purpose can be had by pointing at it. */
function isTold(element: Element): boolean {
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const title = element.closest('[title]')?.getAttribute('title') ?? ''
  return plain(title).includes(plain(element.textContent).replace(/…$/, ''))
}

function assertWithinWindow(elements: readonly Element[]): void {
  const { clientWidth } = document.documentElement
  for (const element of elements) {
    const box = element.getBoundingClientRect()
    if (box.width === 0 || box.height === 0) continue
    const by = Math.max(box.right - clientWidth, -box.left, -(box.top + scrolledTo()))
    const isPinned = getComputedStyle(element).position === 'fixed' || element.matches('dialog')
    const below = isPinned ? Math.max(box.bottom - innerHeight, -box.top) : 0
    // A dialog scrolls inside, so only what is above or beside it is lost.
    const scrolls = element.parentElement?.closest('dialog, .side, .toasts, .several')
    const isLost = scrolls === null || scrolls === undefined ? by : Math.max(box.right - clientWidth, -box.left)
    if (Math.max(isLost, below) > TOLERANCE) report('outside the window', element, Math.max(isLost, below))
  }
}

function assertScrolls(elements: readonly Element[]): void {
  for (const element of [document.documentElement, ...elements]) {
    const across = element.scrollWidth - element.clientWidth
    const { overflowX } = getComputedStyle(element)
    const isRoot = element === document.documentElement
    if (element.matches('input, select') || across <= TOLERANCE) continue
    if (isRoot || /auto|scroll/.test(overflowX)) report('scrolls sideways', element, across)
    else if (/hidden|clip/.test(overflowX) && !isTold(element)) report('is cut', element, across)
  }
  for (const area of document.querySelectorAll('textarea[readonly]')) {
    const below = area.scrollHeight - area.clientHeight
    if (isShown(area) && below > TOLERANCE) report('is cut', area, below)
  }
}

/**
 * A finger cannot point at a title: of a text that is cut so much stays that it can be told from others, on two lines
 * at least.
 */
function assertCutsReadable(elements: readonly Element[]): void {
  for (const element of elements) {
    const { overflowX, overflowY, fontSize } = getComputedStyle(element)
    const letter = Number.parseFloat(fontSize)
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element
    const isCut = Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight) > TOLERANCE
    if (!isCut || !/hidden|clip/.test(`${overflowX} ${overflowY}`) || element.matches('input, select, textarea'))
      continue
    if (textNodesOf(element).length === 0) continue
    if (clientWidth < 3 * letter || clientHeight < letter) report('vanishes', element, clientWidth)
    else if (clientHeight < 2 * letter) report('is cut to one line', element, clientHeight)
  }
}

function assertTextWhole(lines: readonly Line[]): void {
  for (const { box, owner } of lines) {
    for (const clip of clipsOf(owner)) {
      const hole = clip.getBoundingClientRect()
      const by = Math.max(box.right - hole.right, hole.left - box.left, box.bottom - hole.bottom, hole.top - box.top)
      // A line that is cut by less than a third is one whose letters are whole.
      if (by > Math.max(TOLERANCE, box.height / 3) && !isTold(clip)) report('is cut', owner, by)
    }
    const around = paperOf(owner)
    if (around === undefined) continue
    const paper = around.getBoundingClientRect()
    const by = Math.max(
      box.right - paper.right,
      paper.left - box.left,
      box.bottom - paper.bottom - 2,
      paper.top - box.top - 2,
    )
    const isCut = clipsOf(owner).length > 0
    if (by > TOLERANCE && !isCut && !isScrolledWithin(owner, around)) report('leaves its box', owner, by)
  }
}

/** The nearest box around a text that can be seen as one, by its colour or its edge. */
function paperOf(element: Element): Element | undefined {
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
    const { backgroundColor, borderTopWidth, borderTopColor, display } = getComputedStyle(at)
    const isPainted = !/, 0\)$|transparent/.test(backgroundColor)
    const isFramed =
      borderTopWidth !== '0px' && !/, 0\)$|transparent/.test(borderTopColor) && at.matches('.card, button, .button')
    if ((isPainted || isFramed) && display !== 'inline' && display !== 'contents') return at
  }
  return undefined
}

function isScrolledWithin(element: Element, outer: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return true
    if (at === outer) return false
  }
  return false
}

function assertWordsWhole(elements: readonly Element[]): void {
  for (const element of elements) {
    if (element.matches('code, .secret, .toast p, .toast p *, textarea')) continue
    for (const node of textNodesOf(element)) {
      if (rectsOf(node, 0, node.data.length).length < 2) continue
      const text = node.data.replaceAll(ENDLESS, (run) => ' '.repeat(run.length))
      for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu)) {
        if (word.length > SHORT_WORD || MIXED.test(word)) continue
        const [first, ...more] = rectsOf(node, index, index + word.length)
        const broken = more.find(({ top }) => first !== undefined && Math.abs(top - first.top) > first.height / 2)
        if (broken !== undefined) report(`breaks the word “${word}”`, element, broken.width)
      }
    }
  }
}

/** What an empty field says, what a select has chosen, and a day must fit in their boxes. */
function assertFieldsWide(elements: readonly Element[]): void {
  const pen = document.createElement('canvas').getContext('2d')
  if (pen === null) return
  for (const element of elements) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(element)
    pen.font = font
    const room = element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    const by =
      pen.measureText(saidIn(element)).width +
      takenIn(element, Number.parseFloat(getComputedStyle(element).fontSize)) -
      room
    if (saidIn(element) !== '' && by > TOLERANCE) report('is cut', element, by)
  }
}

function saidIn(element: Element): string {
  if (element instanceof HTMLSelectElement) {
    // One that is styled as a button wraps its text.
    return getComputedStyle(element).appearance === 'base-select' ? '' : (element.selectedOptions[0]?.text ?? '')
  }
  if (!(element instanceof HTMLInputElement)) return ''
  if (element.type === 'date') return '00/00/0000'
  if (element.type === 'datetime-local') return '00/00/0000, 00:00 PM'
  return element.value === '' ? element.placeholder : ''
}

/** The width that a field keeps for its arrow, its calendar, or the cross that empties a search. */
function takenIn(element: Element, fontSize: number): number {
  if (element.matches('[type="search"]')) return fontSize
  return element.matches('select, [type^="date"]') ? ARROW : 0
}

/** What stands over the page stands over its text as well: only texts of one layer can be in each other's way. */
function layerOf(element: Element): Element {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (/fixed|sticky/.test(getComputedStyle(at).position) || at.matches('dialog')) return at
  }
  return document.documentElement
}

function assertTextApart(lines: readonly Line[]): void {
  const seen = lines
    .filter(({ box, owner }) => clipsOf(owner).every((clip) => isMostlyIn(box, clip.getBoundingClientRect())))
    .map((line) => ({ ...line, layer: layerOf(line.owner) }))
    .sort((a, b) => a.box.top - b.box.top)
  for (const [at, { box, owner, layer }] of seen.entries()) {
    for (let next = at + 1; next < seen.length; next += 1) {
      const other = seen[next]
      if (other === undefined || other.box.top > box.bottom) break
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
      const down = Math.min(box.bottom, other.box.bottom) - other.box.top
      if (
        other.layer === layer &&
        other.owner !== owner &&
        across > 2 &&
        down > Math.min(box.height, other.box.height) / 2
      ) {
        report(`lies over ${describe(other.owner)}`, owner, across)
      }
    }
  }
}

function isMostlyIn(box: DOMRect, hole: DOMRect): boolean {
  const middle = (box.top + box.bottom) / 2
  return middle > hole.top && middle < hole.bottom && box.left < hole.right && box.right > hole.left
}

/** Everything that is wrong with what is in front. */
function measureScreen(asked: Asked): Finding[] {
  findings.length = 0
  for (const kept of [reported, hidden, clips]) kept.clear()
  const front = document.querySelector(asked.scope)
  if (front === null) return [{ rule: 'is not there', element: asked.scope, px: 0 }]
  const all = [front, ...front.querySelectorAll('*')].filter(isShown)
  for (const hidden of all.filter((element) => getComputedStyle(element).clipPath === 'inset(50%)')) {
    const { width, height } = hidden.getBoundingClientRect()
    if (Math.max(width, height) > TOLERANCE) report('is hidden and takes room', hidden, Math.max(width, height))
  }
  const seen = all.filter((element) => !isHiddenFromEye(element))
  assertWithinWindow(seen)
  assertScrolls(seen)
  const lines = linesOf(seen)
  assertTextWhole(lines)
  assertCutsReadable(seen)
  assertWordsWhole(seen)
  assertFieldsWide(seen)
  assertTextApart(lines)
  const controls = seen.filter((element) => element.matches(CONTROLS) && element.closest('[inert], :disabled') === null)
  assertControls(controls, asked)
  return [...findings]
}

Object.assign(globalThis, { measureScreen })
