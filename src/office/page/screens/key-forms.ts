/**
 * The dialogs that issue, change, unban, rotate and revoke a key. A new secret is shown once, with a command that tries
 * it. Several keys may have one label, so each dialog has the id beside it.
 */
import { PLAN_NAMES, PLANS, type Plan } from '../../../contract/plans.ts'
import { LABEL_LENGTH } from '../../../rules/bounds.ts'
import { expiryRefusal, MOST_REQUESTS } from '../../../rules/keys.ts'
import type { IssuedKey, KeyDetails, OfficeKey } from '../../office-data.ts'
import { CallFailed, currentSession, get, send } from '../parts/api.ts'
import { ask, askConfirmed, confirm, showOnce } from '../parts/dialog.ts'
import { type Child, line, make, quiet } from '../parts/elements.ts'
import { dayField, field, select, textField } from '../parts/fields.ts'
import { attemptOrToast, toast } from '../parts/notices.ts'
import { capital, figure, instantOf, moment, quoted, readInt64, sentenceOf } from '../parts/words.ts'

const REASON = 'Asked for again, because whoever has a key can use it anywhere.'
const HOUR_S = 3_600
const DAY_S = 86_400
const OVERLAPS = [
  [0, 'Not at all'],
  [HOUR_S, 'For an hour'],
  [DAY_S, 'For a day'],
  [7 * DAY_S, 'For a week'],
  [30 * DAY_S, 'For 30 days'],
] as const

export function issueKey() {
  const hint = `Whose key it is, up to ${LABEL_LENGTH} characters.`
  const label = textField('Label', { dir: undefined, maxlength: 400 }, hint)
  const { plan, terms, numbers } = planFields()
  const expiry = dayField('Works until', 'datetime-local', 'Leave it empty for a key without an end.')
  const read = () => {
    const text = label.control.value.trim()
    if (text === '') return void label.showProblem('Type whose key it is.')
    const planTerms = terms()
    if (planTerms === undefined) return
    const expiresAtMs = expiry.control.value === '' ? undefined : instantOf(expiry.control.value)
    if (Number.isNaN(expiresAtMs) || !expiry.control.validity.valid)
      return void expiry.showProblem('Type a day and a time.')
    const refusal = expiryRefusal(expiresAtMs, Date.now())
    if (refusal !== undefined) return void expiry.showProblem(`${capital(refusal)}.`)
    return { label: text, ...planTerms, ...(expiresAtMs !== undefined && { expiresAtMs }) }
  }
  return issue('Issue key', [label, plan, numbers, expiry], read, (body) => send('POST /api/keys', body))
}

export async function editKey(key: OfficeKey) {
  const label = textField('Label', { maxlength: 400, value: key.label })
  const { plan, terms, numbers } = planFields(key)
  const about = 'The key and what it has used stay as they are.'
  const parts = [make('p', {}, make('code', {}, key.id)), make('p', {}, about), label, plan.element, numbers]
  const edited = await ask('Change key', parts, async () => {
    const planTerms = terms()
    if (planTerms === undefined) return
    // Only what was changed: somebody else may change the rest, and the label may be one of an earlier rule.
    const { perMinute = key.minute.limit, perDay = key.day.limit } = planTerms
    const isKept = planTerms.plan === key.plan && perMinute === key.minute.limit && perDay === key.day.limit
    const isRenamed = label.control.value !== key.label
    if (isKept && !isRenamed) return void label.showProblem('Nothing is changed yet.')
    const changes = { ...(isKept ? {} : planTerms), ...(isRenamed && { label: label.control.value }) }
    return send('POST /api/keys/:id/edit', changes, { id: key.id })
  })
  if (edited !== undefined) toast(`The key ${keyWords(edited)} is changed, for all requests within five seconds.`)
}

export async function unbanKey(key: OfficeKey) {
  const text = `Requests with the key ${keyWords(key)} are answered again within five seconds, up to its limits.`
  if (!(await confirm('Unban key', text, { isDanger: false }))) return
  await attemptOrToast(`key ${key.id}`, async () => {
    await send('POST /api/keys/:id/unban', {}, { id: key.id })
    toast(`The key ${keyWords(key)} is not banned any more.`)
  })
}

/** As in “Shelter” (key_1a2b). */
function keyWords({ id, label }: OfficeKey) {
  return label === '' ? id : `${quoted(label)} (${id})`
}

export function rotateKey(key: OfficeKey) {
  const { id } = key
  const options = OVERLAPS.map(([value, name]) => [String(value), name] as const)
  const overlap = field('How long the old key still works', select(options, String(DAY_S)))
  const text = `A new key takes the place of ${keyWords(key)}, with the same plan, label, end and use of its limits.`
  const read = () => ({ overlapS: Number(overlap.control.value) })
  return issue('Rotate key', [line(text), overlap], read, (body) => send('POST /api/keys/:id/rotate', body, { id }))
}

/** Asks for what makes a secret, and shows that. */
async function issue<Body>(
  act: string,
  parts: readonly Child[],
  read: () => Body | undefined,
  sendWith: (body: Body & { passphrase: string }) => Promise<IssuedKey>,
) {
  const issued = await askConfirmed(act, parts, REASON, read, async (body) => {
    try {
      return await sendWith(body)
    } catch (error) {
      if (!(error instanceof CallFailed && error.isUnsure)) throw error
      const unseen = 'A key may have been made that nobody has seen: look at the newest keys, and revoke it.'
      throw new CallFailed(`No answer came. ${unseen}`)
    }
  })
  if (issued === undefined) return
  const { key, secret, oldUntilMs } = issued
  const until = oldUntilMs === null ? '' : ` The old key works until ${moment(oldUntilMs)}.`
  await showOnce('New key', `This is the key of ${keyWords(key)}. It is shown only now, so keep it safe.${until}`, {
    Key: secret,
    'To try it': `curl -i -H 'Authorization: Bearer ${secret}' ${currentSession().baseUrl}/pets`,
  })
}

export async function revokeKey(key: OfficeKey) {
  const { id, label } = key
  const use = lastUseWord(key)
  const facts = quiet(use === 'never' ? 'It was never used.' : `It was used last ${use}.`)
  // Shown when it arrives; the key can be revoked before.
  get('/api/keys/:id', { id }).then(
    (details) => facts.append(` ${successorWords(details)}`),
    (error: unknown) => facts.append(` ${sentenceOf(error)}`),
  )
  const name = textField(`Type its ${label === '' ? 'id' : 'label'}`, { spellcheck: false })
  const parts = [
    make('p', {}, 'Requests with this key are refused from now on. This cannot be undone.'),
    make('p', { class: 'typed strong', dir: 'auto' }, label || 'No label'),
    make('p', {}, make('code', {}, id)),
    facts,
    name,
  ]
  const work = () => send('POST /api/keys/:id/revoke', { label: name.control.value }, { id })
  const revoked = await ask('Revoke key', parts, work, { isDanger: true })
  if (revoked !== undefined) toast(`The key ${keyWords(key)} is revoked.`)
}

/** Of this key alone: what is used of its windows may have been used with a key that it replaced. */
export function lastUseWord({ lastUsedAtMs }: OfficeKey) {
  return lastUsedAtMs === null ? 'never' : moment(lastUsedAtMs)
}

function successorWords({ successor }: KeyDetails) {
  if (successor === null) return 'No key has replaced it.'
  return `It was replaced by ${successor.id} ${moment(successor.createdAtMs)}.`
}

/** As in "Free: 60 a minute, 1,000 a day". */
function planWords(plan: Plan) {
  const allowance = PLANS[plan]
  const numbers = allowance && `${figure(allowance.perMinute)} a minute, ${figure(allowance.perDay)} a day`
  return `${capital(plan)}: ${numbers ?? 'numbers of its own'}`
}

function planFields(key?: OfficeKey) {
  const plans = PLAN_NAMES.map((value) => [value, planWords(value)] as const)
  const plan = field('Plan', select(plans, key?.plan ?? 'free'))
  const numberField = (label: string, value: number | undefined) =>
    textField(label, { dir: undefined, inputmode: 'numeric', value })
  const perMinute = numberField('Requests a minute', key?.minute.limit)
  const perDay = numberField('Requests a day', key?.day.limit)
  const numbers = make('div', { class: 'pair' }, perMinute, perDay)
  const isOwn = () => plan.control.value === 'enterprise'
  const showNumbers = () => {
    numbers.hidden = !isOwn()
  }
  showNumbers()
  plan.control.addEventListener('change', showNumbers)
  return {
    plan,
    numbers,
    /** The terms; undefined if a number is none, which is then marked. */
    terms(): { plan: Plan; perMinute?: number; perDay?: number } | undefined {
      const terms = { plan: plan.control.value as Plan }
      if (!isOwn()) return terms
      const own = { perMinute: numberIn(perMinute.control), perDay: numberIn(perDay.control) }
      const isNumber = (n: number) => Number.isSafeInteger(n) && n >= 1
      const wrong = isNumber(own.perMinute) ? perDay : perMinute
      if (Object.values(own).every(isNumber)) return { ...terms, ...own }
      return void wrong.showProblem(`Type a whole number from 1 to ${figure(MOST_REQUESTS)}.`)
    },
  }
}

/** Accepts thousands separators; NaN if the text is no number. */
function numberIn({ value }: HTMLInputElement) {
  return Number(readInt64(value) ?? Number.NaN)
}
