/** The list of animals. Its size and status are selected above it; a new selection aborts the previous request. */

import { PET_STATUS_VALUES } from '../../../client/src/index.ts'
import { animalItem } from './animal.js'
import { announce, element } from './page.js'

/** @import { Pet } from '../../../client/src/index.ts' */
/** @import { Desk } from './desk.js' */

const filter = element('filter', HTMLFormElement)
const list = element('animals', HTMLElement)
const note = element('list-note', HTMLElement)

/** The request in flight. */
let asking = new AbortController()

function choice() {
  const data = new FormData(filter)
  const status = PET_STATUS_VALUES.find((value) => value === data.get('status'))
  return { limit: Number(data.get('limit')), status }
}

/** @param {Desk} desk */
export function connectList(desk) {
  const load = async () => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const { limit, status } = choice()
    list.setAttribute('aria-busy', 'true')
    try {
      const pets = await desk.call((client, closing) =>
        client.listPets({ limit, status }, { signal: AbortSignal.any([signal, closing]) }),
      )
      list.replaceChildren(...pets.map(animalItem))
      say(pets.length === 0 ? 'There are no animals here.' : '')
      announce(pets.length === 1 ? '1 animal' : `${pets.length} animals`)
    } catch (error) {
      if (signal.aborted) return
      say(`${desk.explain(error)} Press Refresh to try again.`)
    }
    list.setAttribute('aria-busy', 'false')
  }
  filter.addEventListener('change', load)
  filter.addEventListener('submit', (event) => {
    event.preventDefault()
    void load()
  })
  return {
    load,
    clear() {
      asking.abort()
      list.replaceChildren()
      list.setAttribute('aria-busy', 'false')
    },
  }
}

/**
 * Adds a new animal where the list would show it, without requesting the list again.
 * @param {Pet} pet
 */
export function addToList(pet) {
  const { limit, status } = choice()
  if (status !== undefined && pet.status !== status) return
  const item = animalItem(pet)
  item.classList.add('new')
  list.prepend(item)
  while (list.children.length > limit) list.lastElementChild?.remove()
  say('')
}

/** @param {string} sentence shown in the place of animals; empty for none */
function say(sentence) {
  note.textContent = sentence
  note.hidden = sentence === ''
}
