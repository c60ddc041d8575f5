/** The dialogs to create, edit, unban, rotate and revoke a key. Labels can repeat, so each dialog shows the id. */
import { PLAN_NAMES, PLANS, type Plan } from '../../../contract/plans.ts'
import { LABEL_LENGTH } from '../../../rules/bounds.ts'
import { expiryRefusal, MOST_REQUESTS } from '../../../rules/keys.ts'
import type { IssuedKey, KeyDetails, OfficeKey } from '../../office-data.ts'
import { CallFailed, currentSession, get, send } from '../parts/api.ts'
import { ask, askConfirmed, confirm, showOnce } from '../parts/dialog.ts'
import { type Child, line, make, quiet } from '../parts/elements.ts'
import { dayField, field, select, textField } from '../parts/fields.ts'
import { attemptOrToast, toast } from '../parts/toasts.ts'
import { capital, figure, instantOf, moment, quoted, readInt64, sentenceOf } from '../parts/words.ts'

const REASON = 'You are asked again because anyone who has a key can use it anywhere.'
const HOUR_S = 3_600
const DAY_S = 86_400
const OVERLAPS = [
  [0, 'Immediately'],
  [HOUR_S, 'After an hour'],
  [DAY_S, 'After a day'],
  [7 * DAY_S, 'After a week'],
  [30 * DAY_S, 'After 30 days'],
] as const

export function issueKey() {
  const hint = `Who uses the key, up to ${LABEL_LENGTH} characters.`
  const label = textField('Label', { name: 'label', dir: undefined, maxlength: 400 }, hint)
  const { plan, terms, numbers } = planFields()
  const expiry = dayField('Expires', 'datetime-local', 'Leave empty for a key that never expires.')
  const read = () => {
    const text = label.required('Type who uses the key.')
    const planTerms = terms()
    const expiresAtMs = expiry.control.value === '' ? undefined : instantOf(expiry.control.value)
    const isTime = !Number.isNaN(expiresAtMs) && expiry.control.validity.valid
    const refusal = isTime ? expiryRefusal(expiresAtMs, Date.now()) : 'type a day and a time'
    if (refusal !== undefined) expiry.showProblem(`${capital(refusal)}.`)
    if (text === undefined || planTerms === undefined || refusal !== undefined) return
    return { label: text, ...planTerms, ...(expiresAtMs !== undefined && { expiresAtMs }) }
  }
  return issue('Create key', [label, plan, numbers, expiry], read, (body) => send('POST /api/keys', body))
}

export async function editKey(key: OfficeKey) {
  const label = textField('Label', { name: 'label', maxlength: 400, value: key.label })
  const { plan, terms, numbers } = planFields(key)
  const about = 'The key itself and its use so far stay the same.'
  const parts = [make('p', {}, make('code', {}, key.id)), make('p', {}, about), label, plan.element, numbers]
  const edited = await ask('Edit key', parts, async () => {
    const planTerms = terms()
    if (planTerms === undefined) return
    // Send only what was changed: someone else might change the rest, and an old label might break a newer rule.
    const { perMinute = key.minute.limit, perDay = key.day.limit } = planTerms
    const isKept = planTerms.plan === key.plan && perMinute === key.minute.limit && perDay === key.day.limit
    const isRenamed = label.control.value !== key.label
    if (isKept && !isRenamed) return void label.showProblem('You have not changed anything yet.')
    const changes = { ...(isKept ? {} : planTerms), ...(isRenamed && { label: label.control.value }) }
    return send('POST /api/keys/:id/edit', changes, { id: key.id })
  })
  if (edited !== undefined)
    toast(`The key ${keyWords(edited)} was changed. All requests will follow within five seconds.`)
}

export async function unbanKey(key: OfficeKey) {
  const text = `The key ${keyWords(key)} will work again within five seconds, up to its limits.`
  if (!(await confirm('Unban key', text, { isDanger: false }))) return
  await attemptOrToast(`key ${key.id}`, async () => {
    await send('POST /api/keys/:id/unban', {}, { id: key.id })
    toast(`The key ${keyWords(key)} was unbanned.`)
  })
}

function keyWords({ id, label }: OfficeKey) {
  return label === '' ? id : `${quoted(label)} (${id})`
}

export function rotateKey(key: OfficeKey) {
  const { id } = key
  const options = OVERLAPS.map(([value, name]) => [String(value), name] as const)
  const overlap = field('Old key expires', select(options, String(DAY_S)))
  const text = `A new key replaces ${keyWords(key)}, with the same plan, label, expiry and use so far.`
  const read = () => ({ overlapS: Number(overlap.control.value) })
  return issue('Rotate key', [line(text), overlap], read, (body) => send('POST /api/keys/:id/rotate', body, { id }))
}

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
      const unseen = 'A key might have been created that nobody has seen. Check the newest keys and revoke it.'
      throw new CallFailed(`The service did not respond. ${unseen}`)
    }
  })
  if (issued === undefined) return
  const { key, secret, oldUntilMs } = issued
  const until = oldUntilMs === null ? '' : ` The old key works until ${moment(oldUntilMs)}.`
  await showOnce('New key', `This is the key of ${keyWords(key)}. It is shown only once, so keep it safe.${until}`, {
    Key: secret,
    'Test command': `curl -i -H 'Authorization: Bearer ${secret}' ${currentSession().baseUrl}/pets`,
  })
}

export async function revokeKey(key: OfficeKey) {
  const { id, label } = key
  const use = lastUseWord(key)
  const facts = quiet(use === 'never' ? 'It was never used.' : `It was last used ${use}.`)
  get('/api/keys/:id', { id }).then(
    (details) => facts.append(` ${successorWords(details)}`),
    (error: unknown) => facts.append(` ${sentenceOf(error)}`),
  )
  const name = textField(`Type its ${label === '' ? 'id' : 'label'}`, { spellcheck: false })
  const parts = [
    make('p', {}, 'Requests with this key will be refused immediately. This cannot be undone.'),
    make('p', { class: 'typed strong', dir: 'auto' }, label || 'No label'),
    make('p', {}, make('code', {}, id)),
    facts,
    name,
  ]
  const work = () => send('POST /api/keys/:id/revoke', { label: name.control.value }, { id })
  const revoked = await ask('Revoke key', parts, work, { isDanger: true })
  if (revoked !== undefined) toast(`The key ${keyWords(key)} was revoked.`)
}

/** Last use of this key alone: the windows also count the keys that it replaced. */
export function lastUseWord({ lastUsedAtMs }: OfficeKey) {
  return lastUsedAtMs === null ? 'never' : moment(lastUsedAtMs)
}

function successorWords({ successor }: KeyDetails) {
  if (successor === null) return 'No key has replaced it.'
  return `It was replaced by ${successor.id} ${moment(successor.createdAtMs)}.`
}

function planWords(plan: Plan) {
  const allowance = PLANS[plan]
  const numbers = allowance && `${figure(allowance.perMinute)} a minute, ${figure(allowance.perDay)} a day`
  return `${capital(plan)}: ${numbers ?? 'custom limits'}`
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
    /** Returns undefined if a number is wrong, which is then marked. */
    terms(): { plan: Plan; perMinute?: number; perDay?: number } | undefined {
      const terms = { plan: plan.control.value as Plan }
      if (!isOwn()) return terms
      const own = { perMinute: numberIn(perMinute.control), perDay: numberIn(perDay.control) }
      const isNumber = (n: number) => Number.isSafeInteger(n) && n >= 1
      const words = `Type a whole number from 1 to ${figure(MOST_REQUESTS)}.`
      if (!isNumber(own.perMinute)) perMinute.showProblem(words)
      if (!isNumber(own.perDay)) perDay.showProblem(words)
      return Object.values(own).every(isNumber) ? { ...terms, ...own } : undefined
    },
  }
}

function numberIn({ value }: HTMLInputElement) {
  return Number(readInt64(value) ?? Number.NaN)
}
