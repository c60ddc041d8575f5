/**
 * The animals sent by the form: an entry for each, below it, says what became of it. The form is free at once, and a
 * late answer is not lost.
 */

import type { Pet } from 'pet-adoption-client'
import { animalItem } from './animal.ts'
import { element, tell } from './page.ts'

/** The number of settled entries that stay. */
const KEPT = 3

const outbox = element('outbox', HTMLElement)
const template = element('sent', HTMLTemplateElement)

/** Entries that wait for an answer or a decision. */
const open: Set<Entry> = new Set()

// Leaving the page would lose animals not sent yet, and open questions.
addEventListener('beforeunload', (event) => {
  if (open.size > 0) event.preventDefault()
})

/** One animal that was sent. */
export class Entry {
  /** The name as in a sentence. */
  name
  #item
  #sentence
  #newest
  #acts

  constructor(name: string) {
    const item = document.importNode(template.content, true).firstElementChild
    const part = (selector: string) => {
      const found = item?.querySelector(selector)
      if (!(found instanceof HTMLElement)) throw new Error(`the template lacks its ${selector}`)
      return found
    }
    if (!(item instanceof HTMLElement)) throw new Error('the template holds no element')
    this.name = name
    this.#item = item
    this.#sentence = part('.sentence')
    this.#newest = part('.animals')
    this.#acts = part('.acts')
    outbox.prepend(item)
    open.add(this)
  }

  /** Whether the entry is settled or removed, or the desk closed. */
  get isOver() {
    return !open.has(this)
  }

  /** Shows the present state. `acts` maps the label of each button to what it does. */
  say(sentence: string, acts: Record<string, () => void> = {}) {
    const hadFocus = this.#item.contains(document.activeElement)
    this.#sentence.textContent = sentence
    this.#acts.replaceChildren(
      ...Object.entries(acts).map(([words, act]) => {
        const button = document.createElement('button')
        button.type = 'button'
        button.className = 'plain'
        button.textContent = words
        button.addEventListener('click', act)
        return button
      }),
    )
    this.#item.classList.toggle('asks', Object.keys(acts).length > 0)
    if (hadFocus) this.#item.focus()
    tell(sentence, this.#sentence)
  }

  /** `like` is the number of the animal that is probably this one. */
  showNewest(pets: Pet[], like: bigint | undefined) {
    this.#newest.replaceChildren(
      ...pets.map((pet) => {
        const item = animalItem(pet)
        item.classList.toggle('like', pet.id === like)
        return item
      }),
    )
  }

  /** Shows the final state. Only the latest settled entries stay. */
  settle(sentence: string) {
    open.delete(this)
    this.#newest.replaceChildren()
    this.#item.classList.add('settled')
    this.say(sentence)
    for (const old of [...outbox.querySelectorAll('.settled')].slice(KEPT)) old.remove()
  }

  remove() {
    open.delete(this)
    this.#item.remove()
  }
}

/** Removes all entries. Returns the names of those not settled. */
export function emptyOutbox(): string[] {
  const names = [...open].map(({ name }) => name)
  open.clear()
  outbox.replaceChildren()
  return names
}
