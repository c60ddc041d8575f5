/** The form that adds an animal. Each problem is shown next to its field, whether the page or the service found it. */
import { PET_STATUS_VALUES, PetAdoptionError } from '../../../client/src/index.ts'
import { readInt64 } from './int64.js'
import { addToList } from './list.js'
import { announce, element, mark, onSubmit } from './page.js'

/** @import { Desk } from './desk.js' */

const form = element('add', HTMLFormElement)
const general = element('add-problem', HTMLElement)
const fields = {
  name: { field: element('add-name', HTMLInputElement), place: element('add-name-problem', HTMLElement) },
  categoryId: { field: element('add-category', HTMLInputElement), place: element('add-category-problem', HTMLElement) },
  status: { field: element('add-status', HTMLSelectElement), place: element('add-status-problem', HTMLElement) },
}

/** @param {Desk} desk */
export function connectAdd(desk) {
  onSubmit(form, async () => {
    const name = fields.name.field.value
    const categoryId = readInt64(fields.categoryId.field.value.trim())
    const status = PET_STATUS_VALUES.find((value) => value === fields.status.field.value)
    const nameProblem = name.trim() === '' ? 'Give the animal a name.' : ''
    const categoryProblem = categoryId === undefined ? 'The category is a whole number, such as 7.' : ''
    show({ name: nameProblem, categoryId: categoryProblem })
    if (nameProblem !== '' || categoryId === undefined) return
    try {
      const pet = await desk.call((client, signal) => client.createPet({ name, categoryId, status }, { signal }))
      addToList(pet)
      form.reset()
      fields.name.field.focus()
      announce(`${pet.name} was added with number ${pet.id}.`)
    } catch (error) {
      if (error instanceof PetAdoptionError && error.status === 400) show(sorted(error.message))
      else show({ general: desk.explain(error) })
    }
  })
}

/**
 * Marks the fields with problems, clears the marks of the others, and moves the focus to the first marked field.
 * @param {{ name?: string, categoryId?: string, status?: string, general?: string }} problems
 */
function show(problems) {
  mark(fields.name.field, fields.name.place, problems.name ?? '')
  mark(fields.categoryId.field, fields.categoryId.place, problems.categoryId ?? '')
  mark(fields.status.field, fields.status.place, problems.status ?? '')
  general.textContent = problems.general ?? ''
  const first = Object.values(fields).find(({ place }) => place.textContent !== '')
  first?.field.focus()
  if (first === undefined && general.textContent !== '') announce(general.textContent)
}

/**
 * Splits the service's message into its parts, each for the field that it begins with. The interface promises a
 * sentence for people and no format: a part that names no field is shown below the form.
 * @param {string} message
 */
function sorted(message) {
  /** @type {Record<string, string>} */
  const problems = {}
  for (const part of message.split('; ')) {
    const [, field = 'general', problem = part] = /^(name|categoryId|status): (.+)$/s.exec(part) ?? []
    problems[field] = [problems[field], problem].filter(Boolean).join(' ')
  }
  return problems
}
