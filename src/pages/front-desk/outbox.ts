/**
 * The animals that the form has sent: an entry for each, below the form, says what became of it. The form takes the
 * next animal at once, and a late answer is not lost.
 */

import type { Pet } from 'pet-adoption-client'
import { animalItem } from './animal.ts'
import { element, tell } from './page.ts'

/** So many entries that need nothing more stay. */
const KEPT = 3

const outbox = element('outbox', HTMLElement)
const template = element('sent', HTMLTemplateElement)

/** Entries about which something is still to come or to decide. */
const open: Set<Entry> = new Set()

// Leaving the page would lose what was not sent yet, and the question whether it was.
addEventListener('beforeunload', (event) => {
  if (open.size > 0) event.preventDefault()
})

/** One animal that was sent. */
export class Entry {
  /** As in a sentence. */
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

  /** Whether nothing more is to come: it was settled or removed, or the desk was closed. */
  get isOver() {
    return !open.has(this)
  }

  /** What is so for the moment. `acts` are what people may do about it, by the words on the button. */
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

  /** `like` is the number of the one that is probably this. */
  showNewest(pets: Pet[], like: bigint | undefined) {
    this.#newest.replaceChildren(
      ...pets.map((pet) => {
        const item = animalItem(pet)
        item.classList.toggle('like', pet.id === like)
        return item
      }),
    )
  }

  /** The last word on it. Only the latest few stay. */
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

/** Forgets all of it. The result names those about which something was still to come. */
export function emptyOutbox(): string[] {
  const names = [...open].map(({ name }) => name)
  open.clear()
  outbox.replaceChildren()
  return names
}
