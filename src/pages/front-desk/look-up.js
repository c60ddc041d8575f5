/** Looks up one animal by its number, until the operation is removed on 5 December 2030. */

import { PetAdoptionError } from '../../../client/src/index.ts'
import { animalItem } from './animal.js'
import { readInt64 } from './int64.js'
import { saidName } from './names.js'
import { element, focusFrom, mark, tell } from './page.js'

/** @import { Desk } from './desk.js' */

const REMOVAL_MS = Date.UTC(2030, 11, 5)
const WORDS = { what: 'The number of an animal', example: '42' }

const section = element('look-up-section', HTMLElement)
const form = element('look-up', HTMLFormElement)
const field = element('look-up-id', HTMLInputElement)
const place = element('look-up-problem', HTMLElement)
const found = element('found', HTMLElement)

/** The request in flight; a new one takes its place. */
let asking = new AbortController()

/** @param {Desk} desk */
export function connectLookUp(desk) {
  section.hidden = Date.now() >= REMOVAL_MS
  const clear = () => {
    asking.abort()
    found.replaceChildren()
    mark(field, place, '')
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clear()
    const { integer: id, problem } = readInt64(field.value, WORDS)
    mark(field, place, problem)
    if (id === undefined) return field.focus()
    asking = new AbortController()
    const { signal } = asking
    form.setAttribute('aria-busy', 'true')
    try {
      const pet = await desk.call(({ withResponse }) => withResponse.getPet(id, { signal }))
      if (signal.aborted) return
      found.replaceChildren(animalItem(pet))
      tell(`Found: ${saidName(pet.name)}, ${pet.status ?? 'without a status'}.`, found)
    } catch (error) {
      if (signal.aborted) return
      const isMissing = error instanceof PetAdoptionError && error.status === 404
      mark(field, place, isMissing ? `There is no animal with number ${id}.` : desk.explain(error))
      tell(place.textContent, place)
      focusFrom(field, form)
    }
    form.removeAttribute('aria-busy')
  })
  return {
    clear() {
      clear()
      form.reset()
      form.removeAttribute('aria-busy')
    },
  }
}
