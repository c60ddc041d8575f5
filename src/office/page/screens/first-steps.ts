/** Leads a new office through its first hour, above the list of animals, until each step is done or skipped. */
import type { FirstStep, Role } from '../../office-data.ts'
import { get, send } from '../parts/api.ts'
import { button, card, focusTitle, make, quiet, refill } from '../parts/elements.ts'
import { attemptOrToast } from '../parts/notices.ts'
import { useStorage } from '../parts/storage.ts'

const STEPS: Readonly<Record<FirstStep['name'], readonly [title: string, href: string, why: string]>> = {
  name: ['Name the shelter', '#settings', 'The name stands on the sign-in, on paper and on the public page.'],
  import: ['Import your list', '#import', 'A spreadsheet, or what the system exports that you have now.'],
  people: ['Invite people', '#people', 'Each gets a link, and a role that says what they may do.'],
  keys: ['Issue a key', '#keys', 'With it a website or a partner reads your animals.'],
}

/** Where this browser keeps for which roles nothing is left to do, so that it is not asked again. */
const OVER = 'first steps over for '

export function firstSteps(role: Role) {
  const list = make('ol', { class: 'steps' })
  const element = card('First steps', list)
  element.hidden = true
  const show = (steps: readonly FirstStep[]) => {
    element.hidden = steps.every(({ state }) => state !== 'open')
    if (element.hidden) useStorage((storage) => storage.setItem(OVER + role, 'yes'))
    refill(list, steps.map(stepItem))
  }
  const skip = (name: FirstStep['name']) =>
    attemptOrToast('first steps', async () => {
      show(await send('POST /api/first-steps/:name/skip', {}, { name }))
      if (element.hidden) focusTitle()
      else list.querySelector('button')?.focus()
    })
  const stepItem = ({ name, state }: FirstStep) => {
    const [title, href, why] = STEPS[name]
    const skipping = button('Skip', () => skip(name), { class: 'plain', 'aria-label': `Skip “${title}”` })
    const end = state === 'open' ? skipping : make('span', { class: state === 'done' ? 'good' : 'quiet' }, state)
    const words = make('div', {}, make('a', { href, class: 'lone' }, title), state === 'open' && quiet(why))
    return make('li', { class: state }, words, end)
  }
  // The list of animals tells when the service is gone.
  if (useStorage((storage) => storage.getItem(OVER + role)) !== 'yes') get('/api/first-steps').then(show, () => {})
  return element
}
