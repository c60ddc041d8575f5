/** One animal as a row of a list. */

import type { Pet } from 'pet-adoption-client'
import { initialOf, listedName } from './names.ts'
import { element } from './page.ts'

const template = element('animal', HTMLTemplateElement)

const LABELS = { available: 'Available', pending: 'Pending', sold: 'Sold' }

export function animalItem({ id, name, categoryId, status }: Pet): HTMLElement {
  const item = document.importNode(template.content, true).firstElementChild
  if (!(item instanceof HTMLElement)) throw new Error('the template holds no element')
  const fill = (part: string, text: string) => {
    const place = item.querySelector(`.${part}`)
    if (place !== null) place.textContent = text
    return place
  }
  fill('initial', initialOf(name))
  const shown = fill('name', listedName(name))
  shown?.classList.toggle('missing', name.trim() === '')
  // The whole of a name that is cut.
  shown?.setAttribute('title', name)
  fill('category', String(categoryId))
  fill('id', String(id))
  fill('badge', status === undefined ? 'No status' : LABELS[status])?.classList.add(status ?? 'none')
  return item
}
