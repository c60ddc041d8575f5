/** Looks up one animal by its number. The operation will be removed on 5 December 2030. */

import { PetAdoptionError } from 'pet-adoption-client'
import { Latest } from '../parts/latest.ts'
import { animalItem } from './animal.ts'
import type { Desk } from './calls.ts'
import { readInt64 } from './int64.ts'
import { saidName } from './names.ts'
import { element, focusFrom, mark, tell } from './page.ts'

const REMOVAL_MS = Date.UTC(2030, 11, 5)
const WORDS = { what: 'The number of an animal', example: '42' }

const section = element('look-up-section', HTMLElement)
const form = element('look-up', HTMLFormElement)
const field = element('look-up-id', HTMLInputElement)
const place = element('look-up-problem', HTMLElement)
const found = element('found', HTMLElement)

/** The request in flight; a new one takes its place. */
const latest = new Latest()

export function connectLookUp(desk: Desk) {
  section.hidden = Date.now() >= REMOVAL_MS
  const clear = () => {
    latest.drop()
    found.replaceChildren()
    mark(field, place, '')
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clear()
    const { integer: id, problem } = readInt64(field.value, WORDS)
    mark(field, place, problem)
    if (id === undefined) return field.focus()
    form.setAttribute('aria-busy', 'true')
    await latest.ask(
      (signal) => desk.call(({ withResponse }) => withResponse.getPet(id, { signal })),
      (pet) => {
        found.replaceChildren(animalItem(pet))
        tell(`Found: ${saidName(pet.name)}, ${pet.status ?? 'without a status'}.`, found)
        form.removeAttribute('aria-busy')
      },
      (error) => {
        const isMissing = error instanceof PetAdoptionError && error.status === 404
        mark(field, place, isMissing ? `There is no animal with number ${id}.` : desk.explain(error))
        tell(place.textContent, place)
        focusFrom(field, form)
        form.removeAttribute('aria-busy')
      },
    )
  })
  return {
    clear() {
      clear()
      form.reset()
      form.removeAttribute('aria-busy')
    },
  }
}
