/**
 * The front desk: staff paste a key and work with the animals. It uses the service only through the typed client. This
 * file opens and closes the desk; each part of it has its own file.
 */

import { CallError, PetAdoption, PetAdoptionError } from '../../../client/src/index.ts'
import { connectAdd } from './add.js'
import { showAllowance } from './gauge.js'
import { connectList } from './list.js'
import { connectLookUp } from './look-up.js'
import { announce, element, mark, onSubmit } from './page.js'
import { dropWait, endWait, showWait } from './wait.js'

/**
 * Shared by the parts of the desk.
 * @typedef {object} Desk
 * @property {<T>(ask: (client: PetAdoption, signal: AbortSignal) => Promise<T>) => Promise<T>} call asks the service; the
 *   gauge follows, and closing the desk ends what is under way
 * @property {(error: unknown) => string} explain a failed call as a sentence for people; empty when it was ended here
 */

/** In session storage: it is gone when the tab is closed. */
const KEPT_AS = 'pets-api-key'

const signIn = element('sign-in', HTMLElement)
const keyForm = element('key-form', HTMLFormElement)
const keyField = element('key', HTMLInputElement)
const keyProblem = element('key-problem', HTMLElement)
const forget = element('forget', HTMLButtonElement)
const room = element('desk', HTMLElement)

/** @type {PetAdoption | undefined} */
let client
/** Aborts the requests made with this key. */
let closing = new AbortController()

/** @type {Desk} */
const desk = {
  async call(ask) {
    if (client === undefined) throw new Error('there is no key')
    const asked = client
    try {
      return await ask(asked, closing.signal)
    } catch (error) {
      if (asked === client && error instanceof PetAdoptionError && error.status === 401) close('This key is not valid.')
      throw error
    } finally {
      if (asked === client) {
        showAllowance(asked.rateLimit)
        endWait()
      }
    }
  },
  explain(error) {
    if (error instanceof PetAdoptionError) return error.message
    if (error instanceof CallError) return 'The service could not be reached.'
    if (error instanceof DOMException && error.name === 'AbortError') return ''
    throw error
  },
}

const list = connectList(desk)
const lookUp = connectLookUp(desk)
connectAdd(desk)

/** @param {string} apiKey */
async function open(apiKey) {
  const opened = connect(apiKey)
  if (opened === undefined)
    return close('A key has no blanks and no special letters. Copy all of it, and nothing else.')
  client = opened
  forget.hidden = false
  await list.load()
  if (client !== opened) return
  sessionStorage.setItem(KEPT_AS, apiKey)
  show()
}

function show() {
  signIn.hidden = true
  room.hidden = false
  forget.hidden = false
}

/** @param {string} apiKey */
function connect(apiKey) {
  try {
    return new PetAdoption({
      baseUrl: new URL('v1', document.baseURI).href,
      apiKey,
      maxWait: Number.POSITIVE_INFINITY,
      onRetry(retry) {
        showAllowance(client?.rateLimit)
        showWait(retry)
      },
      onHold(hold) {
        showAllowance(client?.rateLimit)
        showWait(hold)
      },
    })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** @param {string} reason why the key is asked for again; empty when it was wanted */
function close(reason) {
  client = undefined
  closing.abort()
  closing = new AbortController()
  sessionStorage.removeItem(KEPT_AS)
  dropWait()
  list.clear()
  lookUp.clear()
  showAllowance(undefined)
  room.hidden = true
  forget.hidden = true
  signIn.hidden = false
  mark(keyField, keyProblem, reason)
  keyField.focus()
}

onSubmit(keyForm, async () => {
  const apiKey = keyField.value.trim()
  mark(keyField, keyProblem, apiKey === '' ? 'Paste the key that you were given.' : '')
  if (apiKey === '') return keyField.focus()
  await open(apiKey)
  if (client === undefined) return
  keyForm.reset()
  element('main', HTMLElement).focus({ preventScroll: true })
})

forget.addEventListener('click', () => {
  close('')
  announce('The key is forgotten.')
})

const kept = sessionStorage.getItem(KEPT_AS)
if (kept !== null) {
  show()
  await open(kept)
}
