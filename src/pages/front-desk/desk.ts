/**
 * The front desk: staff paste a key and work with the animals, through the typed client only. This file opens and
 * closes the desk; each part of it has its own file.
 */

import { AnswerError, CallError, PetAdoption, PetAdoptionError } from 'pet-adoption-client'
import type { OwnUse } from '../own-use-data.ts'
import { connectAdd } from './add.ts'
import type { Desk } from './calls.ts'
import { learnClock, showAllowance } from './gauge.ts'
import { connectList } from './list.ts'
import { connectLookUp } from './look-up.ts'
import { connectOwnUse } from './own-use.ts'
import { announce, element, hideNotice, mark } from './page.ts'
import { dropWait, endWait, showWait } from './wait.ts'

/** Its name in the session storage, which ends with the tab. */
const KEPT_AS = 'pets-api-key'

const signIn = element('sign-in', HTMLElement)
const keyForm = element('key-form', HTMLFormElement)
const keyField = element('key', HTMLInputElement)
const keyProblem = element('key-problem', HTMLElement)
/** Disabled in the document, with a label that says the page is loading; this script enables it. */
const keyButton = element('key-button', HTMLButtonElement)
const late = element('late', HTMLElement)
const forget = element('forget', HTMLButtonElement)
const room = element('desk', HTMLElement)

let client: PetAdoption | undefined
/** That of the client, for what is none of the interface. */
let key = ''
/** Aborts the requests made with this key. */
let closing = new AbortController()

const desk: Desk = {
  async call(ask) {
    const asked = client
    if (asked === undefined) throw new DOMException('the desk is closed', 'AbortError')
    try {
      const { data, headers } = await ask(asked, closing.signal)
      if (asked !== client) throw new DOMException('the desk was closed', 'AbortError')
      learnClock(headers.get('Date'))
      return data
    } catch (error) {
      if (asked === client && isUnauthorized(error)) close('This key is not valid.')
      throw error
    } finally {
      if (asked === client) {
        showAllowance(asked.rateLimit)
        endWait()
      }
    }
  },
  explain(error) {
    if (isUnauthorized(error)) return ''
    if (error instanceof PetAdoptionError) return error.message
    if (error instanceof AnswerError) return `Something other than the service answered (status ${error.status}).`
    if (error instanceof CallError) return 'The service could not be reached.'
    if (error instanceof DOMException && error.name === 'AbortError') return ''
    throw error
  },
}

const list = connectList(desk)
const lookUp = connectLookUp(desk)
const add = connectAdd(desk)
const ownUse = connectOwnUse(askOwnUse)

async function open(apiKey: string) {
  const opened = connect(apiKey)
  if (opened === undefined)
    return close('A key has no blanks and no special letters. Copy all of it, and nothing else.')
  client = opened
  key = apiKey
  forget.hidden = false
  await list.load()
  if (client !== opened) return
  useStorage((storage) => storage.setItem(KEPT_AS, apiKey))
  show()
}

function show() {
  signIn.hidden = true
  room.hidden = false
  forget.hidden = false
}

/** Fails with a sentence. */
async function askOwnUse(signal: AbortSignal): Promise<OwnUse> {
  const url = new URL('use.json', document.baseURI)
  const unreached = () => new Error('The service could not be reached.')
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` }, signal }).catch(unreached)
  if (response instanceof Error) throw response
  showAllowance(allowanceIn(response.headers) ?? client?.rateLimit)
  if (response.status === 401) close('This key is not valid.')
  const answer: OwnUse | { readonly message: string } = await response.json().catch(unreached)
  if ('days' in answer) return answer
  throw new Error(answer.message)
}

function allowanceIn(headers: Headers) {
  const [limit, remaining, seconds] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`X-RateLimit-${name}`))
  if (!limit || !remaining || !seconds) return undefined
  return { limit: Number(limit), remaining: Number(remaining), reset: new Date(Number(seconds) * 1_000) }
}

function connect(apiKey: string) {
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

/** `reason` says why the key is asked for again; empty if the person closed the desk. */
function close(reason: string) {
  client = undefined
  closing.abort()
  hideNotice()
  closing = new AbortController()
  useStorage((storage) => storage.removeItem(KEPT_AS))
  dropWait()
  list.clear()
  lookUp.clear()
  add.clearProblems()
  ownUse.clear()
  showAllowance(undefined)
  room.hidden = true
  forget.hidden = true
  signIn.hidden = false
  mark(keyField, keyProblem, reason)
  keyField.focus()
}

function isUnauthorized(error: unknown) {
  return error instanceof PetAdoptionError && error.status === 401
}

/** A browser that stores nothing for sites throws; the key is then forgotten with the page. */
function useStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}

/** Whether a key is being tried; further presses are ignored. */
let isOpening = false

keyForm.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isOpening) return
  const apiKey = keyField.value.trim()
  mark(keyField, keyProblem, apiKey === '' ? 'Paste the key that you were given.' : '')
  if (apiKey === '') return keyField.focus()
  isOpening = true
  keyForm.setAttribute('aria-busy', 'true')
  try {
    await open(apiKey)
  } finally {
    isOpening = false
    keyForm.removeAttribute('aria-busy')
  }
  if (client === undefined) return
  keyForm.reset()
  element('main', HTMLElement).focus({ preventScroll: true })
})

forget.addEventListener('click', () => {
  const names = add.clear()
  const doubt = names.length === 0 ? '' : ` ${names.join(', ')} may have been added: look when you are here again.`
  close('')
  keyProblem.textContent = doubt.trim()
  announce(`The key is forgotten.${doubt}`)
})

keyButton.disabled = false
keyButton.textContent = 'Open the desk'
late.remove()

const kept = useStorage((storage) => storage.getItem(KEPT_AS))
if (typeof kept === 'string') {
  show()
  await open(kept)
}
