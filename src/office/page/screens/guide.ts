/** The guide for those who work in the office, out of `docs/office.md`. It comes with the page, with its pictures. */

import { orUnreachable } from '../parts/api.ts'
import { make, quiet, titled } from '../parts/elements.ts'
import { loading } from '../parts/notices.ts'
import type { Parameters } from '../parts/screen.ts'

export function showGuide({ path: [place] }: Parameters) {
  const text = make('article', { class: 'card guide' }, quiet('Loading …'))
  const loader = loading(
    'The guide',
    () => orUnreachable(import('../../../../docs/office.md')),
    ({ default: html }) => {
      text.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes)
      // As in `#guide/when-something-is-wrong`.
      const titles = [...text.querySelectorAll('h2')]
      titles.find(({ textContent }) => textContent.toLowerCase().replaceAll(' ', '-') === place)?.scrollIntoView()
    },
  )
  loader.begin()
  return [titled('Guide'), loader, text]
}
