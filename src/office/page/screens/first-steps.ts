/** Leads a new office through its first hour, above the list of animals, until each step is done or skipped. */
import type { FirstStep } from '../../office-data.ts'
import { get, send } from '../parts/api.ts'
import { button, card, make } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'
import { sentenceOf } from '../parts/words.ts'

const STEPS: Readonly<Record<FirstStep['name'], readonly [title: string, href: string, why: string]>> = {
  name: ['Name the shelter', '#settings', 'The name stands on the sign-in, on paper and on the public page.'],
  import: ['Import your list', '#import', 'A spreadsheet, or what the system exports that you have now.'],
  people: ['Invite people', '#people', 'Each gets a link, and a role that says what they may do.'],
  keys: ['Issue a key', '#keys', 'With it a website or a partner reads your animals.'],
}

/** Once there is nothing left to do, it is not asked again. */
let isOver = false

export function firstSteps() {
  const list = make('ol', { class: 'steps' })
  const element = card('First steps', list)
  element.hidden = true
  const show = (steps: readonly FirstStep[]) => {
    isOver = steps.every(({ state }) => state !== 'open')
    element.hidden = isOver
    list.replaceChildren(...steps.map(stepItem))
  }
  const skip = async (name: FirstStep['name']) => {
    try {
      show(await send('POST /api/first-steps/:name/skip', {}, { name }))
      const next = element.hidden ? document.querySelector<HTMLElement>('main h1') : list.querySelector('button')
      next?.focus()
    } catch (error) {
      toast(sentenceOf(error), { isProblem: true, about: ['first steps'] })
    }
  }
  const stepItem = ({ name, state }: FirstStep) => {
    const [title, href, why] = STEPS[name]
    const skipping = button('Skip', () => void skip(name), { class: 'plain', 'aria-label': `Skip “${title}”` })
    const end = state === 'open' ? skipping : make('span', { class: state === 'done' ? 'good' : 'quiet' }, state)
    const words = make('div', {}, make('a', { href, class: 'lone' }, title), make('p', { class: 'quiet' }, why))
    return make('li', { class: state }, words, end)
  }
  // The list of animals tells when the service is gone.
  if (!isOver) get('/api/first-steps').then(show, () => {})
  return element
}
