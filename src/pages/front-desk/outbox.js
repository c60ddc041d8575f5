/**
 * What the form has sent, one entry for each animal below the form, and what became of it. So the form is free for the next
 * animal at once, and nothing is lost however late the answer comes.
 */
import { animalItem } from './animal.js'
import { element, tell } from './page.js'

/** @import { Pet } from '../../../client/src/index.ts' */

/** So many entries that need nothing more stay. */
const KEPT = 3

const outbox = element('outbox', HTMLElement)
const template = element('sent', HTMLTemplateElement)

/** Entries about which something is still to come or to decide. @type {Set<Entry>} */
const open = new Set()

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

  /** @param {string} name */
  constructor(name) {
    const item = document.importNode(template.content, true).firstElementChild
    /** @param {string} selector */
    const part = (selector) => {
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

  /**
   * What is so for the moment.
   * @param {string} sentence
   * @param {Record<string, () => void>} acts what people may do about it, by the words on the button
   */
  say(sentence, acts = {}) {
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

  /** @param {Pet[]} pets @param {bigint | undefined} like the number of the one that is probably this */
  showNewest(pets, like) {
    this.#newest.replaceChildren(
      ...pets.map((pet) => {
        const item = animalItem(pet)
        item.classList.toggle('like', pet.id === like)
        return item
      }),
    )
  }

  /**
   * The last word on it. Only the latest few stay.
   * @param {string} sentence
   */
  settle(sentence) {
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

/**
 * Forgets all of it.
 * @returns {string[]} the names of those about which something was still to come
 */
export function emptyOutbox() {
  const names = [...open].map(({ name }) => name)
  open.clear()
  outbox.replaceChildren()
  return names
}
