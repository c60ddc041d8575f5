/** Leads a new office through its first hour, above the list of animals, until each step is done or skipped. */
import type { FirstStep, Role } from '../../office-data.ts'
import { get, Latest, send } from '../parts/api.ts'
import { button, card, make, quiet, refill } from '../parts/elements.ts'
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

/** Until it is `loaded`, what stands below would be moved by it. */
export function firstSteps(role: Role) {
  const list = make('ol', { class: 'steps' })
  const element = card('First steps', list)
  element.hidden = true
  const latest = new Latest()
  const show = (steps: readonly FirstStep[]) => {
    const hadFocus = list.contains(document.activeElement)
    element.hidden = steps.every(({ state }) => state !== 'open')
    if (element.hidden) useStorage((storage) => storage.setItem(OVER + role, 'yes'))
    refill(list, steps.map(stepItem))
    if (hadFocus && !list.contains(document.activeElement)) list.querySelector('button')?.focus()
  }
  // The list of animals tells when the service is gone.
  const load = () => latest.ask(() => get('/api/first-steps'), show)
  /** What another skip does meanwhile is not in its answer. */
  const skip = (name: FirstStep['name']) =>
    attemptOrToast('first steps', async () => {
      await send('POST /api/first-steps/:name/skip', {}, { name })
      await load()
    })
  const stepItem = ({ name, state }: FirstStep) => {
    const [title, href, why] = STEPS[name]
    const skipping = button('Skip', () => skip(name), { class: 'plain', 'aria-label': `Skip “${title}”` })
    const end = state === 'open' ? skipping : make('span', { class: state === 'done' ? 'good' : 'quiet' }, state)
    const words = make('div', {}, make('a', { href, class: 'lone' }, title), state === 'open' && quiet(why))
    return make('li', { class: state }, words, end)
  }
  const isOver = useStorage((storage) => storage.getItem(OVER + role)) === 'yes'
  return { element, loaded: isOver ? undefined : load() }
}
