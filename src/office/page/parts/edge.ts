/**
 * Tells the style sheets how much of the window's lower edge is taken by notices and a phone's navigation bar, above
 * which the page ends. For that it scrolls in its body on a narrow screen, and in the window on others.
 */
import { byId } from './elements.ts'

/** Sets `--toasts` and `--thumb` to the heights of these two, in CSS pixels. */
export function keepEdgeFree(): void {
  const { style } = document.documentElement
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target instanceof HTMLElement) style.setProperty(`--${target.id}`, `${target.offsetHeight}px`)
    }
  })
  for (const id of ['toasts', 'thumb']) resized.observe(byId(id))
}

/** How far the page is scrolled, in CSS pixels. */
export function scrolledTo() {
  return scrollY + document.body.scrollTop
}

/** Only the one that scrolls does. */
export function scrollPage(top: number) {
  scrollTo(0, top)
  document.body.scrollTop = top
}
