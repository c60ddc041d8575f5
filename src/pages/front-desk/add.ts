/**
 * The form that adds animals. It can be filled in again as soon as it is sent; what became of each animal stands below
 * it (outbox.ts). Problems are shown next to their fields, whether the page or the service found them. A POST without
 * an answer may or may not have added the animal: the newest animals are then shown, and nothing is sent again unasked.
 */

import type { NewPet, Pet } from 'pet-adoption-client'
import { CallError, PET_STATUS_VALUES, PetAdoptionError } from 'pet-adoption-client'
import type { Desk } from './calls.ts'
import { readInt64 } from './int64.ts'
import { addToList, greatestKnown } from './list.ts'
import { saidName } from './names.ts'
import { Entry, emptyOutbox } from './outbox.ts'
import { announce, element, focusFrom, mark } from './page.ts'

/** An animal as typed and as sent. */
interface Draft {
  readonly typed: Record<'name' | 'categoryId' | 'status', string>
  readonly pet: NewPet
}

/** The second press of a double click comes within this time, in ms. */
const DOUBLE_PRESS_MS = 1_000
/** Among so many of the newest animals a lost one is looked for. */
const NEWEST = 5
const WORDS = { what: 'The category', example: '7' }

const form = element('add', HTMLFormElement)
const general = element('add-problem', HTMLElement)
const fields = {
  name: { field: element('add-name', HTMLInputElement), place: element('add-name-problem', HTMLElement) },
  categoryId: { field: element('add-category', HTMLInputElement), place: element('add-category-problem', HTMLElement) },
  status: { field: element('add-status', HTMLSelectElement), place: element('add-status-problem', HTMLElement) },
}

export function connectAdd(desk: Desk) {
  let sentAtMs = Number.NEGATIVE_INFINITY
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (isBlank() && performance.now() - sentAtMs < DOUBLE_PRESS_MS) return
    const draft = read()
    if (draft === undefined) return
    sentAtMs = performance.now()
    form.reset()
    fields.name.field.focus()
    void send(desk, draft, new Entry(saidName(draft.pet.name)))
  })
  return {
    /** Called when the key is no longer valid; what was typed stays. */
    clearProblems: () => show({}),
    /** The names of animals that may or may not have been added. */
    clear(): string[] {
      form.reset()
      show({})
      return emptyOutbox()
    },
  }
}

/** The fields' values; undefined if they have problems, which are then shown. */
function read(): Draft | undefined {
  const typed = {
    name: fields.name.field.value,
    categoryId: fields.categoryId.field.value,
    status: fields.status.field.value,
  }
  const { integer: categoryId, problem } = readInt64(typed.categoryId, WORDS)
  const nameProblem = typed.name.trim() === '' ? 'Give the animal a name.' : ''
  show({ name: nameProblem, categoryId: problem })
  if (nameProblem !== '' || categoryId === undefined) return undefined
  const status = PET_STATUS_VALUES.find((value) => value === typed.status)
  return { typed, pet: { name: typed.name, categoryId, status } }
}

async function send(desk: Desk, draft: Draft, entry: Entry) {
  const knownId = greatestKnown()
  entry.say(`Adding ${entry.name} …`)
  try {
    const pet = await desk.call(({ withResponse }, signal) => withResponse.createPet(draft.pet, { signal }))
    entry.settle(`${entry.name} was added with number ${pet.id}. ${addToList(pet)}`.trim())
  } catch (error) {
    if (entry.isOver) return
    if (!(error instanceof CallError) || error.mayBeDone) await doubt(desk, draft, entry, { error, knownId })
    else refuse(desk, draft, entry, error)
  }
}

/** Shows the newest animals and lets people decide. Animals up to `knownId` were there before. */
async function doubt(
  desk: Desk,
  draft: Draft,
  entry: Entry,
  { error, knownId }: { error: unknown; knownId: bigint | undefined },
) {
  const sentence = `${desk.explain(error)} ${entry.name} may have been added.`.trim()
  const { name, categoryId, status } = draft.pet
  const isLike = (pet: Pet) =>
    pet.name === name &&
    pet.categoryId === categoryId &&
    pet.status === status &&
    (knownId === undefined || pet.id > knownId)
  const look = async () => {
    entry.say(`${sentence} Looking for it among the newest …`)
    let found: string
    try {
      const newest = await desk.call(({ withResponse }, signal) => withResponse.listPets({ limit: NEWEST }, { signal }))
      const like = newest.find(isLike)
      entry.showNewest(newest, like?.id)
      if (like !== undefined) addToList(like)
      found = like ? `One like it is there, with number ${like.id}.` : `None of the newest ${newest.length} is like it.`
    } catch (problem) {
      found = `The newest animals cannot be shown. ${desk.explain(problem)}`.trim()
    }
    if (entry.isOver) return
    entry.say(`${sentence} ${found}`, {
      'It was added': () => entry.settle(`${entry.name} was added.`),
      'Send it again': () => {
        entry.showNewest([], undefined)
        void send(desk, draft, entry)
      },
      'Look again': look,
    })
  }
  await look()
}

function refuse(desk: Desk, draft: Draft, entry: Entry, error: unknown) {
  const problems =
    error instanceof PetAdoptionError && error.status === 400 ? sorted(error.message) : { general: desk.explain(error) }
  const correct = () => {
    entry.remove()
    for (const [name, { field }] of Object.entries(fields)) field.value = draft.typed[name as keyof Draft['typed']]
    show(problems)
  }
  if (isBlank()) return correct()
  const sentence = `${entry.name} was not added. ${Object.values(problems).join(' ')}`.trim()
  const ask = () =>
    entry.say(sentence, {
      'Correct it': () => {
        if (isBlank()) correct()
        else show({ general: 'The form holds another animal. Add it or clear it first.' })
      },
      'Leave it': () => entry.settle(sentence),
    })
  ask()
}

/** Whether nothing typed would be lost. */
function isBlank() {
  return fields.name.field.value === '' && fields.categoryId.field.value === ''
}

/**
 * Marks the fields with problems, clears the others, and focuses the first marked one, unless the focus is elsewhere by
 * now.
 */
function show(problems: { name?: string; categoryId?: string; status?: string; general?: string }) {
  mark(fields.name.field, fields.name.place, problems.name ?? '')
  mark(fields.categoryId.field, fields.categoryId.place, problems.categoryId ?? '')
  mark(fields.status.field, fields.status.place, problems.status ?? '')
  general.textContent = problems.general ?? ''
  const first = Object.values(fields).find(({ place }) => place.textContent !== '')
  if (first !== undefined) focusFrom(first.field, form)
  else if (general.textContent !== '') announce(general.textContent)
}

/**
 * Assigns each part of the service's message to the field that it begins with. The interface promises a sentence and no
 * format, so a part that names no field is shown below the form.
 */
function sorted(message: string) {
  const problems: Record<string, string> = {}
  for (const part of message.split('; ')) {
    const [, field = 'general', problem = part] = /^(name|categoryId|status): (.+)$/s.exec(part) ?? []
    problems[field] = [problems[field], problem].filter(Boolean).join(' ')
  }
  return problems
}
