/** The table of keys: plan, last use, and the used part of the minute's and the day's window. */

/** @import { KeyUse, KeyUses, WindowUse } from '../dashboard-data.ts' */

/** From this share on a bar changes its colour. */
const NEARLY = 0.85

const numbers = new Intl.NumberFormat('en')
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const body = document.getElementById('keys')
const note = document.getElementById('keys-note')

export async function showKeys() {
  // While the service is down the table stays as it was; the connection indicator shows it.
  const response = await fetch('dashboard/keys').catch(() => undefined)
  if (!response?.ok || body === null || note === null) return
  /** @type {KeyUses} */
  const { total, keys } = await response.json()
  body.replaceChildren(...keys.map(row))
  if (total === 0) note.textContent = 'There are none yet: issue one with “pets keys create”.'
  else note.textContent = keys.length < total ? `the ${keys.length} used last, of ${total}` : `${total} in all`
}

/** @param {KeyUse} key */
function row({ id, label, plan, state, lastUsedAtMs, refused, minute, day }) {
  const row = document.createElement('tr')
  const name = document.createElement('th')
  name.scope = 'row'
  name.append(label || id)
  if (label !== '') name.append(part('small', id))
  if (state !== 'active') name.append(part('small', state, 'state'))
  row.append(
    name,
    part('td', plan),
    part('td', lastUsedAtMs === undefined ? 'never' : times.format(lastUsedAtMs)),
    use(minute),
    use(day),
    part('td', numbers.format(refused), 'number'),
  )
  return row
}

/** @param {string} tag @param {string} text @param {string} [name] of its class */
function part(tag, text, name = '') {
  const made = document.createElement(tag)
  made.className = name
  made.textContent = text
  return made
}

/** @param {WindowUse} use */
function use({ limit, used }) {
  const cell = document.createElement('td')
  const bar = part('span', '', used >= limit * NEARLY ? 'bar high' : 'bar')
  bar.style.setProperty('--share', `${(100 * used) / limit}%`)
  cell.append(bar, `${numbers.format(used)} of ${numbers.format(limit)}`)
  return cell
}
