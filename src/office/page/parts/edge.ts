/**
 * Tells the style sheets how much of the window's lower edge is covered by notices and a phone's navigation bar, so
 * that the page leaves it free.
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
