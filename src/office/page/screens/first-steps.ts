/** Guides a new office through its first hour, above the list of animals, until every step is done or hidden. */
import type { FirstStep, Role } from '../../office-data.ts'
import { get, Latest } from '../parts/api.ts'
import { button, card, focusTitle, make, quiet, refill } from '../parts/elements.ts'
import { useStorage } from '../parts/storage.ts'

const STEPS: Readonly<Record<FirstStep['name'], readonly [title: string, href: string, why: string]>> = {
  settings: ['Set up the shelter', '#settings', 'Its name, its time zone, and your word for sold, such as Adopted.'],
  import: ['Import your list', '#import', 'A spreadsheet, or an export from the system you use now.'],
  people: ['Invite people', '#people', 'Each person gets a link and a role.'],
}

/** Keeps per role that no steps are left, so the browser need not ask again. */
const OVER = 'first steps over for '

/** It moves what is below it until it is `loaded`. */
export function firstSteps(role: Role) {
  const list = make('ol', { class: 'steps' })
  const hide = () => {
    element.hidden = true
    useStorage((storage) => storage.setItem(OVER + role, 'yes'))
  }
  const onHide = () => {
    hide()
    focusTitle()
  }
  const hiding = button('Hide', onHide, { class: 'plain', 'aria-label': 'Hide the first steps' })
  const element = card('First steps', list, hiding)
  element.hidden = true
  const show = (steps: readonly FirstStep[]) => {
    if (steps.every(({ isDone }) => isDone)) return hide()
    element.hidden = false
    refill(list, steps.filter(({ isDone }) => !isDone).map(stepItem))
  }
  const isOver = useStorage((storage) => storage.getItem(OVER + role)) === 'yes'
  // A failure is reported by the list of animals.
  return { element, loaded: isOver ? undefined : new Latest().ask(() => get('/api/first-steps'), show) }
}

function stepItem({ name }: FirstStep) {
  const [title, href, why] = STEPS[name]
  return make('li', {}, make('div', {}, make('a', { href, class: 'lone' }, title), quiet(why)))
}
