/**
 * Calls of the office's server. A call that the end of the session has refused waits until the person has signed in again, and
 * is then sent once more: it had not been done. A call without an answer says whether it may have been done.
 */

/** @import { OfficeError, Session } from '../office-data.ts' */

/** A service that is silent for this long counts as gone. */
const PATIENCE_MS = 30_000
/** Reading and importing a large file takes its time. */
const SLOW_MS = 1_800_000

/** A call that was refused or got no answer. The message is a sentence for people. */
export class CallFailed extends Error {
  /**
   * @param {string} message
   * @param {{ code?: OfficeError['code'] | 'unreachable', status?: number, body?: unknown, waitS?: number, isUnsure?: boolean }} facts
   */
  constructor(message, { code = 'internal_error', status = 0, body, waitS, isUnsure = false }) {
    super(message)
    this.code = code
    /** 0 if there was no answer. */
    this.status = status
    /** What the server said beside the message, such as the `current` animal of a conflict. */
    this.body = body
    this.waitS = waitS
    /** Whether what was asked for may have been done all the same. */
    this.isUnsure = isUnsure
  }
}

/** @type {Session | undefined} */
let session
/** @type {() => Promise<Session>} */
let askToSignIn = () => Promise.reject(new Error('nobody asks people to sign in'))
/** @type {() => void} */
let tellOfOther = () => {}
/** @type {Promise<void> | undefined} */
let renewing

/** @returns {Session} */
export function currentSession() {
  if (session === undefined) throw new Error('nobody is signed in')
  return session
}

/** @param {Session | undefined} started */
export function useSession(started) {
  session = started
}

/**
 * How the page asks people to sign in (again), and what it does when somebody else than before has signed in.
 * @param {{ ask: () => Promise<Session>, onOther: () => void }} how
 */
export function whenSignedOut({ ask, onOther }) {
  askToSignIn = ask
  tellOfOther = onOther
}

/**
 * @template T
 * @param {string} path
 * @param {{ isUnattended?: boolean }} [how] whether the page asks by itself: that does not keep a session from ending
 * @returns {Promise<T>} what the server answers
 */
export function get(path, { isUnattended = false } = {}) {
  return call((token) => request('GET', path, token, { headers: isUnattended ? { 'X-Unattended': '1' } : {} }))
}

/**
 * @template T
 * @param {'POST' | 'PATCH' | 'PUT' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ isSlow?: boolean }} [how] whether the answer may take long
 * @returns {Promise<T>} what the server answers
 */
export function send(method, path, body, { isSlow = false } = {}) {
  return call((token) => request(method, path, token, { body, patienceMs: isSlow ? SLOW_MS : PATIENCE_MS }))
}

/**
 * Sends a file, without a limit of time.
 * @template T
 * @param {string} path
 * @param {File} file
 * @param {(share: number) => void} onProgress gets the share that has been sent, from 0 to 1
 * @returns {Promise<T>} what the server answers
 */
export async function upload(path, file, onProgress) {
  // A refusal in the middle of a large file breaks the connection before it can be read.
  await get('api/session')
  return call((token) => {
    const form = new FormData()
    form.append('file', file)
    return new Promise((resolve, reject) => {
      const transfer = new XMLHttpRequest()
      transfer.open('POST', path)
      transfer.setRequestHeader('X-Session-Token', token)
      transfer.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
      transfer.addEventListener('error', () => reject(noAnswer(false)))
      transfer.addEventListener('load', () =>
        resolve({
          status: transfer.status,
          text: transfer.responseText,
          wait: transfer.getResponseHeader('Retry-After'),
        }),
      )
      transfer.send(form)
    })
  })
}

/**
 * One request, as it is: sign-in itself is made of these.
 * @param {string} method
 * @param {string} path
 * @param {string} token
 * @param {{ body?: unknown, headers?: Readonly<Record<string, string>>, patienceMs?: number }} [more]
 * @returns {Promise<{ status: number, text: string, wait: string | null }>}
 */
export async function request(method, path, token, { body, headers = {}, patienceMs = PATIENCE_MS } = {}) {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), patienceMs)
  try {
    const answer = await fetch(path, {
      method,
      cache: 'no-store',
      signal: patience.signal,
      headers: {
        'X-Session-Token': token,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text(), wait: answer.headers.get('Retry-After') }
  } catch {
    throw noAnswer(method !== 'GET')
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The value in an answer; throws the failure that it tells.
 * @param {{ status: number, text: string, wait: string | null }} answer
 */
export function readAnswer({ status, text, wait }) {
  const body = parse(text)
  if (status < 400) return body
  const { code, message } = /** @type {Partial<OfficeError>} */ (body ?? {})
  // A proxy answers in its own words when it does not reach the service, so the request may have arrived.
  const isUnsure = status >= 500 && code === undefined
  throw new CallFailed(message ?? `The service failed (status ${status}). Try again.`, {
    status,
    body,
    isUnsure,
    ...(code === undefined ? {} : { code }),
    ...(wait === null ? {} : { waitS: Number(wait) }),
  })
}

/** @param {boolean} isUnsure */
function noAnswer(isUnsure) {
  const sentence = isUnsure
    ? 'No answer came from the service, so this may or may not have been done.'
    : 'The service could not be reached.'
  return new CallFailed(sentence, { code: 'unreachable', isUnsure })
}

/** @param {string} text */
function parse(text) {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * @param {(token: string) => Promise<{ status: number, text: string, wait: string | null }>} ask
 */
async function call(ask) {
  for (let attempt = 0; ; attempt += 1) {
    const asked = session
    try {
      return readAnswer(await ask(asked?.token ?? ''))
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      const isOver = error.code === 'signed_out'
      // Another tab may have signed in anew: the cookie is the new session's then, the token still the old one's.
      if (!isOver && (error.code !== 'foreign' || attempt > 0)) throw error
      if (session === asked) await renewOnce(isOver)
    }
  }
}

/**
 * Calls that are refused together wait for one new session.
 * @param {boolean} isOver whether the person has to sign in, rather than only the page to learn the token
 */
function renewOnce(isOver) {
  renewing ??= renew(isOver).finally(() => {
    renewing = undefined
  })
  return renewing
}

/** @param {boolean} isOver */
async function renew(isOver) {
  const before = session
  session = isOver ? await askToSignIn() : /** @type {Session} */ (readAnswer(await request('GET', 'api/session', '')))
  if (before === undefined || (before.name === session.name && before.role === session.role)) return
  tellOfOther()
  throw new CallFailed(`${session.name} is signed in now. Nothing was done.`, { code: 'signed_out' })
}
