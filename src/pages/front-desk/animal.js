/** One animal as a row of a list. */
import { initialOf, listedName } from './names.js'
import { element } from './page.js'

/** @import { Pet } from '../../../client/src/index.ts' */

const template = element('animal', HTMLTemplateElement)

const LABELS = { available: 'Available', pending: 'Pending', sold: 'Sold' }

/**
 * @param {Pet} pet
 * @returns {HTMLElement}
 */
export function animalItem({ id, name, categoryId, status }) {
  const item = document.importNode(template.content, true).firstElementChild
  if (!(item instanceof HTMLElement)) throw new Error('the template holds no element')
  /** @param {string} part @param {string} text */
  const fill = (part, text) => {
    const place = item.querySelector(`.${part}`)
    if (place !== null) place.textContent = text
    return place
  }
  fill('initial', initialOf(name))
  fill('name', listedName(name))?.classList.toggle('missing', name.trim() === '')
  fill('category', String(categoryId))
  fill('id', String(id))
  fill('badge', status === undefined ? 'No status' : LABELS[status])?.classList.add(status ?? 'none')
  return item
}
