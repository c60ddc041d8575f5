/** One animal: edit, status, removal, restore and history. An edit names the version that it was made from. */

import { type AnimalMembers, ofTexts, TEXT_MEMBERS } from '../../../rules/members.ts'
import type { Animal, AnimalView, Conflict } from '../../office-data.ts'
import { CallFailed, get, send, shelterName } from '../parts/api.ts'
import { categoryField, categoryIn, categoryText, loadCategories } from '../parts/categories.ts'
import { confirm } from '../parts/dialog.ts'
import { Draft } from '../parts/draft.ts'
import { actions, button, card, fill, line, make, quiet, refill } from '../parts/elements.ts'
import { formOf, showProblems, submitButton, textField } from '../parts/fields.ts'
import { actWords, cameWords, lastChange, MEMBER_WORDS } from '../parts/history.ts'
import { load } from '../parts/load.ts'
import { actionsButton, statusButton } from '../parts/menu.ts'
import type { Parameters } from '../parts/screen.ts'
import { closeToasts, toast } from '../parts/toasts.ts'
import {
  capital,
  day,
  may,
  moment,
  nameOf,
  quoted,
  sentenceOf,
  shorten,
  timeOfDay,
  waitWords,
  whoIs,
} from '../parts/words.ts'
import { type ActRequest, actOn } from './acts.ts'
import { cageCard, printCards } from './print-export.ts'

/** The members in the form; a status has its own button. */
type Field = Exclude<keyof AnimalMembers, 'status'>

export function showAnimal({ path }: Parameters) {
  return new OneAnimal(path[0] ?? '')
}

class OneAnimal {
  #id
  #view: AnimalView | undefined
  readonly #draft = new Draft()
  #isBusy = false
  #acting = Promise.resolve()
  #asOfMs = 0
  readonly #names = loadCategories()
  readonly #loader = load({
    what: (problem) =>
      this.#view === undefined ? problem : `${problem} This is the animal as of ${timeOfDay(this.#asOfMs)}.`,
    get: async (isUnattended) => {
      await this.#names
      return { view: await viewOf(this.#id, isUnattended), isUnattended }
    },
    show: ({ view, isUnattended }) => {
      if (view === undefined) this.#showMissing()
      // After this person's own act, what is typed stays.
      else if (!isUnattended || this.#mayRefresh()) this.#show(view)
    },
    onFail: () => this.#draw(),
    polls: () => this.#mayRefresh(),
    follows: true,
  })

  #title = make('h1', { class: 'typed', dir: 'auto', translate: 'no' }, 'Animal')
  #facts = make('p', { class: 'quiet number' })
  #status = statusButton((status) => void this.#do({ act: 'edit', status }))
  #notice = make('div', { class: 'notice', role: 'alert', hidden: true })
  readonly #fields = {
    name: textField('Name', { name: 'name' }),
    categoryId: categoryField('Category', { makesNew: true }),
    ...ofTexts((name, { most, hint }) => textField(capital(name), { name, spellcheck: false, maxlength: most }, hint)),
  } satisfies Readonly<Record<Field, object>>
  #discarding = button('Discard', () => this.#discard(), { class: 'plain' })
  #form = formOf(Object.values(this.#fields), () => this.#save(), submitButton('Save'), this.#discarding)
  #formCard = card(
    capital(new Intl.ListFormat('en-GB').format(Object.keys(this.#fields).map((name) => MEMBER_WORDS[name as Field]))),
    this.#form,
  )
  #end = make('div', { class: 'end' })
  #formColumn = make('div', {}, this.#formCard, this.#end)
  #history = make('ol', { class: 'history' })
  #body = make('div', { class: 'columns', hidden: true }, this.#formColumn, card('History', this.#history))
  #acts = make('div')
  #cage = make('div')
  element = make('div')

  constructor(id: string) {
    this.#id = id
    const back = make('a', { href: '#animals', class: 'back' }, '‹ All animals')
    back.addEventListener('click', (event) => {
      if (history.length < 2 || !isBackToList) return
      event.preventDefault()
      history.back()
    })
    const title = make('div', { class: 'title' }, this.#title, this.#facts)
    const heading = make('div', { class: 'heading' }, title, this.#status, this.#acts)
    this.#status.element.hidden = true
    fill(this.element, back, heading, this.#loader, this.#notice, this.#body, this.#cage)
  }

  /** A refresh would change the version that the typed text is based on. */
  #mayRefresh() {
    return !this.#isBusy && !this.#draft.isTyped
  }

  #show(view: AnimalView) {
    const { animal, mayUndo, history, origin, imports } = view
    this.#view = view
    this.#asOfMs = Date.now()
    const { name, categoryId } = animal
    this.#draft.fill(this.#fields, { name, categoryId: categoryText(categoryId), ...ofTexts((text) => view[text]) })
    this.#body.hidden = false
    this.#draw()
    const lines = history.map((one) => pastLine(actWords(one, imports), one.atMs))
    // Not during an act: its result is not shown yet.
    const undo = () => (this.#isBusy || this.#view !== view ? undefined : this.#undo(animal.version))
    if (mayUndo) lines[0]?.append(button('Undo', undo, { class: 'plain', 'aria-label': 'Undo the last change' }))
    // If a person added the animal, the journal already says so.
    if (!history.some(({ act }) => act === 'add')) lines.push(pastLine(cameWords(origin, imports), origin?.atMs))
    refill(this.#history, lines)
  }

  #showMissing() {
    this.#body.hidden = true
    this.#status.element.hidden = true
    this.#acts.replaceChildren()
    this.#cage.replaceChildren()
    this.#title.textContent = 'Animal not found'
    this.#facts.textContent = `No animal has the number ${shorten(this.#id, 30)}, or it was removed more than 30 days ago.`
  }

  #draw() {
    if (this.#view === undefined) return
    const { animal, purgedAtMs, wait, leftAtMs, ...texts } = this.#view
    const { id, name, categoryId, status, removedAtMs } = animal
    const isRemoved = removedAtMs !== null
    this.#title.replaceChildren(name.trim() === '' ? 'Without a name' : shorten(name, 300))
    const words = TEXT_MEMBERS.map((text) => (texts[text] ? `, ${text} ${quoted(texts[text], 60, '')}` : '')).join('')
    const carded = { ...animal, wait, reference: texts.reference }
    const waits = leftAtMs === null ? waitWords(carded) : `Left the shelter, recorded ${day(leftAtMs)}`
    refill(this.#facts, `Number ${id}, ${categoryIn(categoryId)}${words}${waits && `. ${waits}`}`)
    if (this.element.isConnected) document.title = `${shorten(nameOf(animal), 40)} · ${shelterName()}`
    this.#status.element.hidden = isRemoved
    this.#status.show(status, nameOf(animal), this.#isBusy)
    const remove = { word: 'Remove animal', choose: () => void this.#remove(animal), isDanger: true }
    const print = () => void printCards(new URLSearchParams(), [carded])
    const printing = { word: 'Print cage card', choose: print }
    refill(this.#acts, actionsButton('', [printing, may('staff') && !isRemoved && remove]))
    refill(this.#cage, cageCard(carded))
    this.#formCard.hidden = isRemoved
    this.#formColumn.hidden = !isRemoved && !may('staff')
    refill(this.#end)
    if (!isRemoved) return
    const until =
      purgedAtMs !== null && ` It can be restored until ${day(purgedAtMs)}. After that it will be deleted permanently.`
    const restore = button('Restore', () => this.#do({ act: 'restore' }))
    const note = make('p', {}, `This animal was removed ${moment(removedAtMs)}.`, until)
    fill(this.#end, make('section', { class: 'card' }, note, may('staff') && actions(restore)))
  }

  #discard() {
    this.#draft.discard()
    for (const { showProblem } of Object.values(this.#fields)) showProblem('')
  }

  async #save() {
    if (this.#view === undefined) return
    const all = this.#draft.typed
    const { categoryId: category, ...texts } = all
    const name = texts.name === undefined ? '' : this.#fields.name.required('Type a name.')
    if (name === undefined) return void this.#fields.categoryId.required()
    const categoryId = category === undefined ? undefined : await this.#fields.categoryId.choose()
    if (category !== undefined && categoryId === undefined) return
    if (!this.#draft.isTyped) return toast('There is nothing to save.')
    await this.#act(async ({ version }) => {
      const change = { version, ...texts, ...(categoryId !== undefined && { categoryId }) }
      const saved = await this.#draft.save(() => send('PATCH /api/animals/:id', change, { id: this.#id }), all)
      const { animal, isChanged } = saved
      if (!isChanged) toast(`No change: ${whoIs(animal)} already has these values.`)
      else toast(`${whoIs(animal)} was saved.`, { undo: () => void this.#undo(animal.version), about: [this.#about] })
      return isChanged ? animal : undefined
    })
  }

  #do(request: ActRequest) {
    return this.#act(async (animal) => {
      const result = await actOn([animal], request)
      const [conflict] = result?.conflicts ?? []
      if (conflict !== undefined) await this.#showConflict(conflict)
      return result?.animals[0]
    })
  }

  async #remove(animal: Animal) {
    const text = `${whoIs(animal)} disappears from the list and the API immediately. You can restore it for 30 days.`
    if (await confirm('Remove animal', text)) await this.#do({ act: 'remove' })
  }

  #undo(version: string) {
    return this.#act(async () => {
      const undoing = { act: 'undo', animals: [{ id: this.#id, version }] } as const
      const { animals, conflicts } = await send('POST /api/animals/acts', undoing)
      const [animal] = animals
      if (conflicts[0] !== undefined) await this.#showConflict(conflicts[0])
      else if (animal !== undefined) toast(`The last change to ${whoIs(animal)} was undone.`, { about: [this.#about] })
      return animal
    })
  }

  get #about() {
    return `animal ${this.#id}`
  }

  /** Runs `work` after earlier acts. It returns the changed animal, so that the next act does not conflict. */
  #act(work: (animal: Animal) => Promise<Animal | undefined>) {
    this.#acting = this.#acting.then(() => this.#run(work))
    return this.#acting
  }

  async #run(work: (animal: Animal) => Promise<Animal | undefined>) {
    if (this.#view === undefined) return
    this.#isBusy = true
    this.#tell('')
    closeToasts([this.#about])
    this.#draw()
    try {
      const animal = await work(this.#view.animal)
      if (animal !== undefined) this.#view = { ...this.#view, animal }
    } catch (error) {
      if (error instanceof CallFailed && error.code === 'conflict') {
        await this.#showConflict((error.body as Conflict).current)
      } else if (!showProblems(this.#form, error)) this.#tell(sentenceOf(error))
    } finally {
      this.#isBusy = false
      this.#draw()
    }
  }

  async #showConflict(current: Animal) {
    const { name, categoryId } = this.#draft.typed
    const before = this.#view?.animal
    const theirs = await lastChange(current)
    // Saving again must refer to what is shown.
    await this.#loader.again()
    const now = [
      name !== undefined && current.name !== before?.name && `the name is now ${quoted(current.name)}`,
      categoryId !== undefined &&
        current.categoryId !== before?.categoryId &&
        `the category is now ${categoryIn(current.categoryId)}`,
    ].filter(Boolean)
    const words = ` Your change is not saved${now.length === 0 ? '' : `: ${now.join(', ')}`}. To overwrite it, save again.`
    this.#tell(`Someone else changed this animal first. ${theirs}${this.#draft.isTyped ? words : ''}`)
  }

  #tell(words: string) {
    // An undo can fail on another screen.
    if (!this.element.isConnected && words !== '') toast(words, { isProblem: true, about: [this.#about] })
    this.#notice.hidden = words === ''
    this.#notice.replaceChildren(make('span', { class: 'typed whole', dir: 'auto' }, words))
  }
}

async function viewOf(id: string, isUnattended: boolean): Promise<AnimalView | undefined> {
  try {
    return await get('/api/animals/:id', { id }, { isUnattended })
  } catch (error) {
    if (error instanceof CallFailed && error.status === 404) return undefined
    throw error
  }
}

function pastLine(words: string, atMs: number | undefined) {
  return make('li', {}, line(`${words}.`), atMs !== undefined && quiet(moment(atMs)))
}

let isBackToList = false
addEventListener('hashchange', ({ oldURL }) => {
  isBackToList = /^(#animals.*)?$/.test(new URL(oldURL).hash)
})
