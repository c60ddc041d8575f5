/**
 * One animal: edit it, set its status, remove and restore it, and read its history. An edit names the version that it
 * was made from; on a conflict both versions are shown, and nothing is overwritten unseen.
 */

import { ofTexts, type PetMembers, TEXT_MEMBERS } from '../../../rules/members.ts'
import type { Animal, AnimalView, Conflict } from '../../office-data.ts'
import { CallFailed, get, send, shelterName } from '../parts/api.ts'
import { categoryField, categoryIn, loadCategories } from '../parts/categories.ts'
import { confirm } from '../parts/dialog.ts'
import { actions, button, card, fill, line, make, quiet, refill } from '../parts/elements.ts'
import { formOf, submitButton, textField } from '../parts/fields.ts'
import { actWords, cameWords, lastChange, MEMBER_WORDS } from '../parts/history.ts'
import { actionsButton, isMenuOpen, statusButton } from '../parts/menu.ts'
import { toast } from '../parts/notices.ts'
import { startPolling } from '../parts/polling.ts'
import { type Parameters, type Shown, UNSAVED } from '../parts/screen.ts'
import { capital, day, may, moment, nameOf, quoted, sentenceOf, shorten, timeOfDay, whoIs } from '../parts/words.ts'
import { actOn, type Wish } from './acts.ts'
import { cageCard } from './print-export.ts'

/** What the form has; a status has a button of its own. */
type Field = Exclude<keyof PetMembers, 'status'>

export function showAnimal({ path }: Parameters): Shown {
  const screen = new OneAnimal(path[0] ?? '')
  void loadCategories().then(() => screen.load())
  return { content: screen, end: startPolling(() => screen.refresh()), unsaved: () => screen.unsaved() }
}

class OneAnimal {
  #id
  /** What the form was filled from. */
  #view: AnimalView | undefined
  #isBusy = false
  #asOfMs = 0
  /** Whether the notice says that the animal could not be loaded. */
  #isStale = false

  #title = make('h1', { class: 'typed', dir: 'auto', translate: 'no' }, 'Animal')
  #facts = make('p', { class: 'quiet number' })
  #status = statusButton((status) => void this.#do({ act: 'edit', status }))
  #notice = make('div', { class: 'notice', role: 'alert', hidden: true })
  readonly #fields = {
    name: textField('Name'),
    categoryId: categoryField('Category', { makesNew: true }),
    ...ofTexts((name, { most, hint }) => textField(capital(name), { spellcheck: false, maxlength: most }, hint)),
  } satisfies Readonly<Record<Field, object>>
  #form = card(
    capital(new Intl.ListFormat('en-GB').format(Object.keys(this.#fields).map((name) => MEMBER_WORDS[name as Field]))),
    formOf(
      Object.values(this.#fields),
      () => this.#save(),
      submitButton('Save'),
      button('Discard', () => this.#fill(), { class: 'plain' }),
    ),
  )
  #end = make('div', { class: 'end' })
  #left = make('div', {}, this.#form, this.#end)
  #history = make('ol', { class: 'history' })
  #body = make('div', { class: 'columns', hidden: true }, this.#left, card('History', this.#history))
  #acts = make('div')
  #cage = make('div')
  element = make('div')

  constructor(id: string) {
    this.#id = id
    const back = make('a', { href: '#animals', class: 'back' }, '‹ All animals')
    // Going back restores the list, whose search, filter and page are in its address.
    back.addEventListener('click', (event) => {
      if (history.length < 2 || !isBackToList) return
      event.preventDefault()
      history.back()
    })
    const title = make('div', { class: 'title' }, this.#title, this.#facts)
    const heading = make('div', { class: 'heading' }, title, this.#status, this.#acts)
    this.#status.element.hidden = true
    this.element.append(back, heading, this.#notice, this.#body, this.#cage)
  }

  unsaved() {
    return Object.keys(this.#typed()).length === 0 ? '' : UNSAVED
  }

  /** Refreshes the screen unless that would disturb the person at work. */
  async refresh() {
    if (!this.#isBusy && !isMenuOpen() && this.unsaved() === '') await this.load({ isUnattended: true })
  }

  async load(how?: { isUnattended?: boolean }) {
    try {
      const view = await get('/api/animals/:id', { id: this.#id }, how)
      if (this.#isBusy || this.unsaved() !== '') return
      if (this.#isStale) this.#tell('')
      this.#show(view)
    } catch (error) {
      if (error instanceof CallFailed && error.status === 404) return this.#showMissing()
      const as = this.#view === undefined ? '' : ` This is the animal as it was at ${timeOfDay(this.#asOfMs)}.`
      const again = button('Try again', () => void this.load(), { class: 'plain' })
      this.#tell(`${sentenceOf(error)}${as}`, again)
      this.#isStale = true
    }
  }

  #show(view: AnimalView) {
    const { animal, mayUndo, history, origin, imports } = view
    this.#view = view
    this.#asOfMs = Date.now()
    this.#fill()
    this.#body.hidden = false
    this.#draw()
    const lines = history.map((one) => pastLine(actWords(one, imports), one.atMs))
    const undo = () => void this.#undo(animal.version)
    if (mayUndo) lines[0]?.append(button('Undo', undo, { class: 'plain', 'aria-label': 'Undo the last change' }))
    // An animal that a person added has a journal entry for it already.
    if (!history.some(({ act }) => act === 'add')) lines.push(pastLine(cameWords(origin, imports), origin?.atMs))
    this.#history.replaceChildren(...lines)
  }

  #showMissing() {
    this.#body.hidden = true
    this.#status.element.hidden = true
    this.#acts.replaceChildren()
    this.#cage.replaceChildren()
    this.#title.textContent = 'There is no such animal'
    this.#facts.textContent = `No animal has the number ${shorten(this.#id, 30)}, or it was removed more than 30 days ago.`
  }

  #draw() {
    if (this.#view === undefined) return
    const { animal, mayRemove, purgedAtMs, sinceMs, ...texts } = this.#view
    const { id, name, categoryId, status, removedAtMs } = animal
    const isRemoved = removedAtMs !== null
    this.#title.replaceChildren(name.trim() === '' ? 'Without a name' : shorten(name, 300))
    const words = TEXT_MEMBERS.map((text) => (texts[text] ? `, ${text} ${quoted(texts[text], 60, '')}` : '')).join('')
    refill(this.#facts, `Number ${id}, ${categoryIn(categoryId)}${words}`)
    if (this.element.isConnected) document.title = `${shorten(nameOf(animal), 40)} · ${shelterName()}`
    this.#status.element.hidden = isRemoved
    this.#status.show(status, nameOf(animal), this.#isBusy)
    const remove = { word: 'Remove animal', choose: () => void this.#remove(animal), isDanger: true }
    const printing = { word: 'Print a card for its cage', choose: () => print() }
    refill(this.#acts, actionsButton('', [printing, mayRemove && !isRemoved && remove]))
    refill(this.#cage, cageCard(animal, sinceMs ?? undefined, texts.reference ?? ''))
    this.#form.hidden = isRemoved
    this.#left.hidden = !isRemoved && !may('staff')
    refill(this.#end)
    if (!isRemoved) return
    const until = purgedAtMs !== null && ` It can be restored until ${day(purgedAtMs)}, and is deleted for good then.`
    const restore = button('Restore', () => void this.#do({ act: 'restore' }))
    const gone = make('p', {}, `This animal was removed ${moment(removedAtMs)}.`, until)
    fill(this.#end, make('section', { class: 'card' }, gone, mayRemove && actions(restore)))
  }

  #fill() {
    if (this.#view === undefined) return
    const { name, categoryId } = this.#fields
    name.control.value = this.#view.animal.name
    categoryId.show(this.#view.animal.categoryId)
    for (const text of TEXT_MEMBERS) this.#fields[text].control.value = this.#view[text] ?? ''
    this.#filled = this.#values()
    name.mark('')
    categoryId.mark('')
  }

  /**
   * The values that the fields were filled with. They may differ from the animal's: a field cannot hold every name,
   * such as one with line breaks.
   */
  #filled = this.#values()

  #values(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#fields).map(([name, { control }]) => [name, control.value]))
  }

  /** The fields that were changed since. */
  #typed(): Partial<Record<Field, string>> {
    return Object.fromEntries(Object.entries(this.#values()).filter(([name, value]) => value !== this.#filled[name]))
  }

  async #save() {
    if (this.#view === undefined) return
    const { categoryId: category, ...typed } = this.#typed()
    if (typed.name?.trim() === '') return this.#fields.name.mark('Give the animal a name.')
    const categoryId = category === undefined ? undefined : await this.#fields.categoryId.choose()
    if (category !== undefined && categoryId === undefined) return
    if (this.unsaved() === '') return toast('There is nothing to save.')
    const { version } = this.#view.animal
    await this.#act(async () => {
      const change = { version, ...typed, ...(categoryId !== undefined && { categoryId }) }
      const { animal, isChanged } = await send('PATCH /api/animals/:id', change, { id: this.#id })
      this.#filled = this.#values()
      if (!isChanged) return toast(`${whoIs(animal)} is so already. Nothing was changed.`)
      toast(`${whoIs(animal)} is saved.`, { undo: () => void this.#undo(animal.version), about: [this.#about] })
    })
  }

  async #do(wish: Wish) {
    const animal = this.#view?.animal
    if (animal === undefined) return
    await this.#act(async () => {
      const result = await actOn([animal], wish, () => void this.#reload())
      const [conflict] = result?.conflicts ?? []
      if (conflict !== undefined) await this.#showConflict(conflict)
    })
  }

  async #remove(animal: Animal) {
    const text = `${whoIs(animal)} disappears from the list and from the interface at once, and can be restored for 30 days.`
    if (await confirm('Remove animal', text)) await this.#do({ act: 'remove' })
  }

  #undo(version: string) {
    return this.#act(async () => {
      const undoing = { act: 'undo', animals: [{ id: this.#id, version }] } as const
      const { animals, conflicts } = await send('POST /api/animals/acts', undoing)
      if (conflicts[0] !== undefined) return this.#showConflict(conflicts[0])
      if (animals[0] !== undefined)
        toast(`The last change of ${whoIs(animals[0])} is undone.`, { about: [this.#about] })
    })
  }

  /** The subject of this screen's notices; a newer notice replaces an older one about the same. */
  get #about() {
    return `animal ${this.#id}`
  }

  /** Runs `work`, one at a time, tells how it failed, and loads the animal again. */
  async #act(work: () => Promise<void>) {
    if (this.#isBusy) return
    this.#isBusy = true
    this.#tell('')
    this.#draw()
    try {
      await work()
    } catch (error) {
      if (error instanceof CallFailed && error.code === 'conflict') {
        await this.#showConflict((error.body as Conflict).current)
      } else this.#tell(sentenceOf(error))
    } finally {
      this.#isBusy = false
    }
    await this.#reload()
    // The button that was pressed may be gone.
    if (document.activeElement === document.body && this.element.isConnected) this.#title.focus()
  }

  /** Loads the animal and keeps what is typed. */
  async #reload() {
    const typedIn = this.#typed()
    try {
      this.#show(await get('/api/animals/:id', { id: this.#id }))
      for (const [name, text] of Object.entries(typedIn)) this.#fields[name as Field].control.value = text
    } catch {
      this.#draw()
    }
  }

  /** Tells who has changed the animal meanwhile, and how. */
  async #showConflict(current: Animal) {
    const { name, categoryId } = this.#typed()
    const theirs = await lastChange(current)
    const isTyped = this.unsaved() !== ''
    const before = this.#view?.animal
    const now = [
      name !== undefined && current.name !== before?.name && `the name is ${quoted(current.name)} now`,
      categoryId !== undefined &&
        current.categoryId !== before?.categoryId &&
        `the category is ${categoryIn(current.categoryId)} now`,
    ].filter(Boolean)
    const words = ` Yours is not saved${now.length === 0 ? '' : `: ${now.join(', ')}`}. Save again to set what you typed all the same.`
    this.#tell(`Somebody else was quicker. ${theirs}${isTyped ? words : ''}`)
  }

  #tell(words: string, ...more: HTMLElement[]) {
    // An undo may fail when another screen is shown.
    if (!this.element.isConnected && words !== '') toast(words, { isProblem: true, about: [this.#about] })
    this.#isStale = false
    this.#notice.hidden = words === ''
    this.#notice.replaceChildren(make('span', { class: 'typed whole', dir: 'auto' }, words), ...more)
  }
}

/** An entry of the history; without a time, if nobody knows it. */
function pastLine(words: string, atMs: number | undefined) {
  return make('li', {}, line(`${words}.`), atMs !== undefined && quiet(moment(atMs)))
}

let isBackToList = false
addEventListener('hashchange', ({ oldURL }) => {
  isBackToList = /^(#animals.*)?$/.test(new URL(oldURL).hash)
})
