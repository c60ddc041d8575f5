/** Adds animals one after the other. Each has a token, so sending it again after a lost response adds it once. */

import { PetStatus } from '../../../contract/schemas.ts'
import { ofTexts, TEXT_MEMBERS, type TextMember } from '../../../rules/members.ts'
import type { Animal, BodyOf, Namesake, Status } from '../../office-data.ts'
import { CallFailed, currentSession, get, Latest, send } from '../parts/api.ts'
import { categoryField, categoryIn, loadCategories } from '../parts/categories.ts'
import { actions, announce, button, make, quiet, refill, titled, typed } from '../parts/elements.ts'
import { dayField, focusWrong, onSubmit, showProblems, submitButton, textField } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { type Parameters, replaceAddress } from '../parts/screen.ts'
import { closeToasts, toast } from '../parts/toasts.ts'
import { capital, dateOf, may, moment, nameOf, quoted, sentenceOf, statusIn } from '../parts/words.ts'

interface Addition {
  readonly animal: BodyOf<'POST /api/animals'>
  state: 'sending' | 'added' | 'lost' | 'refused'
  error?: unknown
  added?: Animal
}

const TYPING_MS = 300
const NAMESAKES = 3
const MAX_ENTRIES = 20

let desk = emptyForm('')
let redraw = () => {}

/** What would be lost with the page, but not with the screen; empty if nothing. */
export function unsent() {
  if (desk.name.trim() !== '') return `${nameOf({ id: '', name: desk.name })} is not added yet.`
  const isUnsure = desk.entries.some(({ state }) => state === 'sending' || state === 'lost')
  return isUnsure ? 'It is not known yet whether every animal was added.' : ''
}

export function showAdd({ query }: Parameters) {
  const { person } = currentSession()
  if (desk.who !== person) desk = emptyForm(person)
  desk.name ||= query.get('name') ?? ''
  replaceAddress('#add')
  const name = textField('Name', { name: 'name', value: desk.name, autofocus: true })
  const category = categoryField('Category', { makesNew: true })
  const status = statusChoice(desk.status, (value) => {
    desk.status = value
  })
  const rest = restOfForm()
  const namesakes = namesakesOf(loadCategories())
  const once = make('p', { class: 'good', role: 'status' })
  const parts = [name, namesakes, category, status, rest.parts, actions(submitButton('Add')), once]
  const form = make('form', { class: 'card' }, parts)
  const toCategories = may('manager') && make('a', { href: '#categories', class: 'lone' }, 'Categories')
  const list = make('ul', { class: 'entries' })
  const log = make('section', { class: 'card', 'aria-label': 'Recently added' }, make('h2', {}, 'Recently added'), list)

  category.control.value = desk.category
  name.control.addEventListener('input', () => {
    desk.name = name.control.value
    once.textContent = ''
    latest = undefined
    namesakes.look(desk.name)
  })
  category.control.addEventListener('input', () => {
    desk.category = category.control.value
  })

  const correct = ({ animal, error }: Addition) => {
    name.control.value = desk.name = animal.name
    category.show(animal.categoryId)
    desk.category = category.control.value
    rest.fill(animal.arrivedOn ?? '', animal)
    if (!showProblems(form, error)) name.showProblem(sentenceOf(error))
    focusWrong(form)
  }
  redraw = () => {
    log.hidden = desk.entries.length === 0
    const items = desk.entries.map((entry) => entryItem(entry, correct))
    refill(list, items)
  }
  redraw()

  /** The last animal sent, until the next one is typed. */
  let latest: Addition | undefined
  /** The name at the last press of “Add”, even while another animal's category is being checked. */
  let pressed = ''
  form.addEventListener('submit', () => {
    pressed = desk.name
  })
  const submit = async (): Promise<void> => {
    if (desk.name === '' && (latest?.state === 'sending' || latest?.state === 'added'))
      return refill(once, onceWords(latest))
    // What is typed during the check belongs to the next animal.
    const { name: typedName, status } = desk
    const others = rest.typed()
    const trimmed = name.required('Type a name.')
    if (trimmed === undefined) return void category.required()
    const categoryId = await category.choose()
    if (categoryId === undefined) return
    const animal = { name: trimmed, categoryId, status, ...others, formToken: randomToken() }
    const entry: Addition = { animal, state: 'sending' }
    desk.entries = [entry, ...desk.entries].slice(0, MAX_ENTRIES)
    if (desk.name === typedName) {
      latest = entry
      name.control.value = desk.name = ''
      rest.fill('', {})
      namesakes.look('')
      name.control.focus()
    }
    void add(entry)
    if (desk.name === pressed && pressed !== typedName) await submit()
  }
  onSubmit(form, submit)
  return [titled('Add an animal', toCategories), make('div', { class: 'columns' }, form, log)]
}

function onceWords({ state, animal }: Addition) {
  const did = state === 'added' ? 'was added. Selecting Add again did' : 'is being added. Selecting Add again does'
  return `${nameOf({ id: '', name: animal.name })} ${did} not add it twice.`
}

function lostWords(who: string) {
  return `${who} might not have been added. Send it again to be sure: it will be added only once.`
}

function restOfForm() {
  const today = dateOf(Date.now())
  const arrived = dayField('Arrived', 'date')
  Object.assign(arrived.control, { name: 'arrivedOn', max: today })
  arrived.control.addEventListener('input', () => {
    desk.arrivedOn = arrived.control.value
  })
  const texts = ofTexts((text, { most, hint }) => {
    const labelled = textField(capital(text), { name: text, spellcheck: false, maxlength: most }, hint)
    labelled.control.addEventListener('input', () => {
      desk.texts[text] = labelled.control.value
    })
    return labelled
  })
  const fill = (arrivedOn: string, typed: Readonly<Partial<Record<TextMember, string>>>) => {
    desk.arrivedOn = arrivedOn
    arrived.fill(arrivedOn || today)
    for (const text of TEXT_MEMBERS) texts[text].control.value = desk.texts[text] = typed[text] ?? ''
  }
  fill(desk.arrivedOn, desk.texts)
  const typed = () => ({ ...desk.texts, ...(desk.arrivedOn && { arrivedOn: desk.arrivedOn }) })
  return { parts: make('div', { class: 'fields' }, arrived, Object.values(texts)), fill, typed }
}

function emptyForm(who: string) {
  /** Empty means today. */
  const typed = { name: '', category: '', arrivedOn: '', texts: ofTexts(() => '') }
  return { who, entries: [] as Addition[], status: 'available' as Status, ...typed }
}

async function add(entry: Addition) {
  const about = [`add ${entry.animal.formToken}`]
  entry.state = 'sending'
  redraw()
  const who = nameOf({ id: '', name: entry.animal.name })
  try {
    const added = await send('POST /api/animals', entry.animal)
    entry.added = added
    entry.state = 'added'
    closeToasts(about)
    announce(`${who} was added as number ${added.id}.`)
  } catch (error) {
    const isLost = error instanceof CallFailed && (error.isUnsure || error.code === 'unavailable')
    entry.state = isLost ? 'lost' : 'refused'
    entry.error = error
    const what = isLost ? lostWords(who) : `${who} was not added. ${sentenceOf(error)}`
    toast(what, { isProblem: true, about })
  }
  redraw()
}

function entryItem(entry: Addition, correct: (entry: Addition) => void) {
  const { animal, state, error, added } = entry
  const forget = () => {
    desk.entries = desk.entries.filter((other) => other !== entry)
    closeToasts([`add ${animal.formToken}`])
    redraw()
  }
  const drop = button('Discard', forget, { class: 'plain' })
  const back = () => {
    correct(entry)
    forget()
  }
  const trouble = (words: string, act: string, work: () => void) => [
    make('p', { class: 'problem' }, words),
    actions(button(act, work), drop),
  ]
  return make(
    'li',
    { class: `entry ${state}` },
    added === undefined
      ? typed(animal.name, 'name')
      : make('a', { href: `#animal/${added.id}`, class: 'name' }, typed(animal.name)),
    make('p', { class: 'quiet typed' }, `${categoryIn(animal.categoryId)}, ${statusIn(animal.status)}`),
    state === 'sending' && quiet('Adding …'),
    state === 'added' && make('p', { class: 'good number' }, `Added as number ${added?.id ?? ''}`),
    state === 'lost' && trouble(lostWords('This animal'), 'Send again', () => void add(entry)),
    state === 'refused' && trouble(`Not added. ${sentenceOf(error)}`, 'Correct', back),
  )
}

function statusChoice(current: Status, onChoose: (status: Status) => void) {
  const choices = PetStatus.enum.map((status) =>
    make(
      'label',
      { class: 'segment' },
      make('input', { type: 'radio', name: 'status', checked: status === current, onchange: () => onChoose(status) }),
      make('span', {}, statusIn(status)),
    ),
  )
  return make('fieldset', { class: 'field segments' }, make('legend', {}, 'Status'), choices)
}

function namesakesOf(names: Promise<void>) {
  const element = make('div', { class: 'namesakes', role: 'status', hidden: true })
  const latest = new Latest()
  let timer = 0
  const show = (namesakes: readonly Namesake[]) => {
    const more = namesakes.length > NAMESAKES && make('p', {}, 'More animals have this name.')
    refill(element, namesakes.slice(0, NAMESAKES).map(namesakeLine), more)
    element.hidden = namesakes.length === 0
  }
  const find = async (name: string) => {
    await names
    return get('/api/animals/namesakes', { name })
  }
  return {
    element,
    look(text: string) {
      clearTimeout(timer)
      latest.drop()
      element.hidden = true
      const name = text.trim()
      if (name !== '' && name.length <= 200)
        timer = window.setTimeout(() => void latest.ask(() => find(name), show), TYPING_MS)
    },
  }
}

function namesakeLine({ animal, addedAtMs, addedBy }: Namesake) {
  const when = addedAtMs === null ? 'already exists' : `was added ${moment(addedAtMs)}`
  const by = addedBy === null ? '' : ` by ${authorWord(addedBy)}`
  const facts = `${categoryIn(animal.categoryId)}, ${statusIn(animal.status)}`
  const link = make('a', { href: `#animal/${animal.id}` }, quoted(animal.name, 60, ''))
  return make('p', { dir: 'auto' }, link, ` ${when}${by} (${facts}).`)
}

function randomToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
