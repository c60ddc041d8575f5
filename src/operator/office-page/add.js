/**
 * Adding animals, one after the other: while one is on its way the next can be typed. Each carries a token made with the form, so
 * that sending it again after a lost answer adds it once.
 */
import { CallFailed, get, send } from './api.js'
import { categoryField, categoryWord, loadCategories } from './categories.js'
import { nameCategories } from './categories-dialog.js'
import { announce, button, field, make, typed } from './elements.js'
import { authorWord } from './history.js'
import { toast } from './toast.js'
import { mayDo, moment, nameOf, STATUSES, sentenceOf, shorten, statusWord } from './words.js'

/** @import { Animal, Namesake, NewAnimal, Session, Status } from '../office-data.ts' */
/** @import { Parameters, Shown } from './screens.js' */

/**
 * An animal that was sent from here.
 * @typedef {object} Entry
 * @property {NewAnimal} animal
 * @property {'sending' | 'added' | 'lost' | 'refused'} state
 * @property {string} problem
 * @property {Animal} [added]
 */

const TYPING_MS = 300
/** So many animals of the same name are named. */
const NAMESAKES = 3
/** So many of those that were added stay in view. */
const SHOWN = 20

/**
 * What stays while people look at other screens: the newest first, and what is typed.
 * @type {{ who: string, entries: Entry[], name: string, category: string, status: Status }}
 */
let desk = { who: '', entries: [], name: '', category: '', status: 'available' }
/** Draws the entries, where the screen is shown. */
let redraw = () => {}

addEventListener('beforeunload', (event) => {
  if (desk.entries.some(({ state }) => state === 'sending' || state === 'lost')) event.preventDefault()
})

/**
 * @param {HTMLElement} container
 * @param {Session} session
 * @param {Parameters} _parameters
 * @returns {Shown}
 */
export function showAdd(container, session, _parameters) {
  if (desk.who !== session.name) desk = { who: session.name, entries: [], name: '', category: '', status: 'available' }
  const name = field('Name', make('input', { autocomplete: 'off', dir: 'auto', value: desk.name }))
  const category = categoryField()
  const status = statusChoice(desk.status, (chosen) => {
    desk.status = chosen
  })
  const namesakes = namesakesOf()
  const form = make('form', { class: 'card' }, name.element, namesakes.element, category.element, status)
  form.append(make('div', { class: 'actions' }, make('button', { type: 'submit' }, 'Add')))
  const heading = make('div', { class: 'heading' }, make('h1', {}, 'Add an animal'))
  const rename = async () => {
    if (await nameCategories()) category.offer()
  }
  if (mayDo(session.role, 'manager')) heading.append(button('Categories …', () => void rename(), { class: 'plain' }))
  const list = make('ul', { class: 'entries' })
  const log = make('section', { class: 'card', 'aria-label': 'Just now' }, make('h2', {}, 'Just now'), list)
  container.append(heading, make('div', { class: 'columns' }, form, log))

  category.control.value = desk.category
  void loadCategories().then(() => category.offer())
  name.control.addEventListener('input', () => {
    desk.name = name.control.value
    namesakes.look(desk.name)
  })
  category.control.addEventListener('input', () => {
    desk.category = category.control.value
  })

  /** Takes a refused animal back into the form. @param {Entry} entry */
  const correct = ({ animal, problem }) => {
    name.control.value = desk.name = animal.name
    category.show(animal.categoryId)
    desk.category = category.control.value
    name.mark(problem)
  }
  redraw = () => {
    log.hidden = desk.entries.length === 0
    list.replaceChildren(...desk.entries.map((entry) => entryItem(entry, correct)))
  }
  redraw()

  form.noValidate = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    name.mark('')
    if (desk.name.trim() === '') return name.mark('Give the animal a name.')
    const categoryId = category.read()
    if (categoryId === undefined) return
    const animal = { name: desk.name.trim(), categoryId, status: desk.status, once: randomToken() }
    desk.entries = [{ animal, state: /** @type {const} */ ('sending'), problem: '' }, ...desk.entries].slice(0, SHOWN)
    const [entry] = desk.entries
    name.control.value = desk.name = ''
    namesakes.look('')
    name.control.focus()
    if (entry !== undefined) void add(entry)
  })
  name.control.focus({ preventScroll: true })
  return {
    end() {
      redraw = () => {}
    },
  }
}

/** Sends the animal, or sends it again. @param {Entry} entry */
async function add(entry) {
  entry.state = 'sending'
  redraw()
  const who = nameOf({ id: '', name: entry.animal.name })
  try {
    /** @type {Animal} */
    const added = await send('POST', 'api/animals', entry.animal)
    entry.added = added
    entry.state = 'added'
    announce(`${who} is added, number ${added.id}.`)
  } catch (error) {
    const isLost = error instanceof CallFailed && (error.isUnsure || error.code === 'unavailable')
    entry.state = isLost ? 'lost' : 'refused'
    entry.problem = sentenceOf(error)
    const what = isLost
      ? `${who} may or may not be added. Send it again to be sure: it is added only once.`
      : `${who} is not added. ${entry.problem}`
    toast(what, { isProblem: true })
  }
  redraw()
}

/**
 * @param {Entry} entry
 * @param {(entry: Entry) => void} correct
 */
function entryItem(entry, correct) {
  const { animal, state, problem, added } = entry
  const facts = `${categoryWord(animal.categoryId)}, ${statusWord(animal.status).toLowerCase()}`
  const item = make('li', { class: `entry ${state}` })
  const drop = button(
    'Forget it',
    () => {
      desk.entries = desk.entries.filter((other) => other !== entry)
      redraw()
    },
    { class: 'plain' },
  )
  const name =
    added === undefined
      ? typed(animal.name, 'name')
      : make('a', { href: `#animal/${added.id}`, class: 'name' }, typed(animal.name))
  item.append(name, make('p', { class: 'quiet typed' }, facts))
  if (state === 'sending') item.append(make('p', { class: 'quiet' }, 'Adding …'))
  if (state === 'added') item.append(make('p', { class: 'good number' }, `Added, number ${added?.id ?? ''}`))
  if (state === 'lost') {
    const again = button('Send again', () => void add(entry))
    const words = `${problem} Send it again to be sure: it is added only once.`
    item.append(make('p', { class: 'problem' }, words), make('div', { class: 'actions' }, again, drop))
  }
  if (state === 'refused') {
    const back = button('Correct it', () => {
      correct(entry)
      drop.click()
    })
    item.append(make('p', { class: 'problem' }, `Not added. ${problem}`), make('div', { class: 'actions' }, back, drop))
  }
  return item
}

/**
 * @param {Status} chosen
 * @param {(status: Status) => void} onChoose
 */
function statusChoice(chosen, onChoose) {
  const choices = STATUSES.map((status) =>
    make(
      'label',
      { class: 'segment' },
      make('input', { type: 'radio', name: 'status', checked: status === chosen, onchange: () => onChoose(status) }),
      make('span', {}, statusWord(status)),
    ),
  )
  return make('fieldset', { class: 'field segments' }, make('legend', {}, 'Status'), ...choices)
}

/** The animals that have the name already. */
function namesakesOf() {
  const element = make('div', { class: 'namesakes', role: 'status', hidden: true })
  let timer = 0
  let asked = 0
  /** @param {string} name */
  const ask = async (name) => {
    const mine = asked
    try {
      /** @type {readonly Namesake[]} */
      const found = await get(`api/animals/namesakes?name=${encodeURIComponent(name)}`)
      if (mine !== asked) return
      element.replaceChildren(...found.slice(0, NAMESAKES).map(namesakeLine))
      if (found.length > NAMESAKES) element.append(make('p', {}, 'There are more of this name.'))
      element.hidden = found.length === 0
    } catch {
      // A hint that does not come is no reason to disturb.
    }
  }
  return {
    element,
    /** @param {string} text */
    look(text) {
      clearTimeout(timer)
      asked += 1
      element.hidden = true
      const name = text.trim()
      if (name !== '' && name.length <= 200) timer = setTimeout(() => void ask(name), TYPING_MS)
    },
  }
}

/** @param {Namesake} namesake */
function namesakeLine({ animal, addedAtMs, addedBy }) {
  const when = addedAtMs === null ? 'is here already' : `was added ${moment(addedAtMs)}`
  const by = addedBy === null ? '' : ` by ${authorWord(addedBy)}`
  const facts = `${categoryWord(animal.categoryId)}, ${statusWord(animal.status).toLowerCase()}`
  const link = make('a', { href: `#animal/${animal.id}` }, shorten(animal.name, 60))
  return make('p', { dir: 'auto' }, link, ` ${when}${by} (${facts}).`)
}

/** 128 random bits as hexadecimal text. */
function randomToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
