/** Looks up one animal by its number, until the operation is removed on 5 December 2030. */

import { PetAdoptionError } from '../../../client/src/index.ts'
import { animalItem } from './animal.js'
import { readInt64 } from './int64.js'
import { announce, element, mark, onSubmit } from './page.js'

/** @import { Desk } from './desk.js' */

const REMOVAL_MS = Date.UTC(2030, 11, 5)

const section = element('look-up-section', HTMLElement)
const form = element('look-up', HTMLFormElement)
const field = element('look-up-id', HTMLInputElement)
const place = element('look-up-problem', HTMLElement)
const found = element('found', HTMLElement)

/** @param {Desk} desk */
export function connectLookUp(desk) {
  section.hidden = Date.now() >= REMOVAL_MS
  onSubmit(form, async () => {
    const id = readInt64(field.value.trim())
    found.replaceChildren()
    mark(field, place, id === undefined ? 'A number is whole, such as 42.' : '')
    if (id === undefined) return field.focus()
    try {
      const pet = await desk.call((client, signal) => client.getPet(id, { signal }))
      found.replaceChildren(animalItem(pet))
      announce(`Found ${pet.name}, ${pet.status ?? 'without a status'}.`)
    } catch (error) {
      const isMissing = error instanceof PetAdoptionError && error.status === 404
      mark(field, place, isMissing ? `There is no animal with number ${id}.` : desk.explain(error))
      field.focus()
    }
  })
  return {
    clear() {
      found.replaceChildren()
      form.reset()
    },
  }
}
