/**
 * The list of animals. A new size or status aborts the previous request. Rows are always of the selected status: if
 * those cannot be loaded the list is empty and says why.
 */

import type { Pet, PetStatus } from 'pet-adoption-client'
import { PET_STATUS_VALUES } from 'pet-adoption-client'
import { Latest } from '../parts/latest.ts'
import { animalItem } from './animal.ts'
import type { Desk } from './calls.ts'
import { announce, element, tell } from './page.ts'

/** Rows of the previous status stay this long, in ms, so that a quick answer does not flicker. */
const STALE_MS = 300
/** The largest limit of the interface. */
const MOST = 100

const filter = element('filter', HTMLFormElement)
const list = element('animals', HTMLElement)
const problem = element('list-problem', HTMLElement)
const note = element('list-note', HTMLElement)
const hour = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' })

/** The request in flight; a new selection takes its place. */
const latest = new Latest()
/** The latest question. */
let asked: { limit: number; status: PetStatus | undefined } | undefined
/** What the rows hold; undefined while none can be trusted. */
let shown: { pets: Pet[]; status: PetStatus | undefined; atMs: number } | undefined
/** Animals added after the request in flight was sent, which its answer may lack. */
let addedSince: Pet[] = []

function choice() {
  const data = new FormData(filter)
  const status = PET_STATUS_VALUES.find((value) => value === data.get('status'))
  return { limit: Number(data.get('limit')), status }
}

export function connectList(desk: Desk) {
  const load = async () => {
    addedSince = []
    asked = choice()
    const { limit, status } = asked
    list.setAttribute('aria-busy', 'true')
    const clearing = setTimeout(dropOthers, STALE_MS)
    await latest.ask(
      (signal) =>
        desk
          .call(({ withResponse }) => withResponse.listPets({ limit, status }, { signal }))
          .finally(() => clearTimeout(clearing)),
      (pets) => {
        show(pets, status)
        for (const pet of addedSince) addToList(pet)
        announce(`${pets.length === 1 ? '1 animal' : `${pets.length} animals`}${hasMore() ? ', perhaps more' : ''}`)
        list.setAttribute('aria-busy', 'false')
      },
      (error) => {
        dropOthers()
        const left = shown && `The animals below are as of ${hour.format(shown.atMs)}. `
        say(`${desk.explain(error)} ${left ?? ''}Press Refresh to try again.`)
        tell(problem.textContent, problem)
        list.setAttribute('aria-busy', 'false')
      },
    )
  }
  filter.addEventListener('change', load)
  filter.addEventListener('submit', (event) => {
    event.preventDefault()
    void load()
  })
  // After Back the browser may restore an old page, or the old selection once this script has run.
  addEventListener('pageshow', ({ persisted }) => {
    if (asked === undefined) return
    const { limit, status } = choice()
    if (persisted || asked.limit !== limit || asked.status !== status) void load()
  })
  return {
    load,
    clear() {
      latest.drop()
      asked = undefined
      show([], undefined)
      shown = undefined
      say('')
      note.hidden = true
      list.setAttribute('aria-busy', 'false')
    },
  }
}

function show(pets: Pet[], status: PetStatus | undefined) {
  shown = { pets, status, atMs: Date.now() }
  list.replaceChildren(...pets.map(animalItem))
  say('')
  showNote()
}

/** Removes rows that are not of the selected status. */
function dropOthers() {
  if (shown !== undefined && shown.status === asked?.status) return
  shown = undefined
  list.replaceChildren()
  say('')
  note.textContent = 'Loading …'
  note.hidden = false
}

/**
 * Adds a new animal where the list would show it, without requesting the list. Returns why it is not shown; empty if it
 * is.
 */
export function addToList(pet: Pet): string {
  const { limit, status } = choice()
  if (!addedSince.includes(pet)) addedSince.push(pet)
  if (status !== undefined && pet.status !== status) return `It is not in the list, which shows ${status} animals only.`
  if (shown === undefined) return 'It is not in the list, which could not be loaded.'
  const { pets } = shown
  if (!pets.some(({ id }) => id === pet.id)) {
    const older = pets.findIndex(({ id }) => id < pet.id)
    const place = older === -1 ? pets.length : older
    pets.splice(place, 0, pet)
    const item = animalItem(pet)
    item.classList.add('new')
    list.insertBefore(item, list.children[place] ?? null)
    while (pets.length > limit) {
      pets.pop()
      list.lastElementChild?.remove()
    }
  }
  showNote()
  return ''
}

/** The greatest number that the list has shown; a new animal's is greater. */
export function greatestKnown(): bigint | undefined {
  return shown?.pets[0]?.id
}

/** Whether there may be more animals than shown; the interface gives no totals. */
function hasMore() {
  return shown !== undefined && shown.pets.length >= choice().limit
}

function showNote() {
  const count = shown?.pets.length ?? 0
  if (count === 0) note.textContent = 'There are no animals here.'
  else if (!hasMore()) note.textContent = ''
  else if (count < MOST)
    note.textContent = `These are the newest ${count}. There may be more: choose above how many to show.`
  else
    note.textContent = `These are the newest ${count}, the most that can be shown. There may be more: choose a status above.`
  note.hidden = note.textContent === ''
}

/** Shows a problem above the rows; an empty sentence hides it. */
function say(sentence: string) {
  problem.textContent = sentence
  if (sentence !== '') note.hidden = true
}
