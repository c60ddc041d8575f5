/** Shows `docs/office.md` as the guide, with its pictures. */

import { orUnreachable } from '../parts/api.ts'
import { make, quiet, titled } from '../parts/elements.ts'
import { load } from '../parts/load.ts'
import type { Parameters } from '../parts/screen.ts'

export function showGuide({ path: [place] }: Parameters) {
  const text = make('article', { class: 'card guide' }, quiet('Loading …'))
  const loader = load({
    what: 'The guide',
    get: () => orUnreachable(import('../../../../docs/office.md')),
    show({ default: html }) {
      text.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes)
      const titles = [...text.querySelectorAll('h2')]
      titles.find(({ textContent }) => textContent.toLowerCase().replaceAll(' ', '-') === place)?.scrollIntoView()
    },
  })
  return [titled('Guide'), loader, text]
}
