/** What the key's requests came to, day by day, when somebody asks for it: looking is a request as well. */

import type { OwnUse } from '../own-use-data.ts'
import { Latest } from '../parts/latest.ts'
import { element, tell } from './page.ts'

const show = element('use-show', HTMLButtonElement)
const problem = element('use-problem', HTMLElement)
const sums = element('use-sums', HTMLElement)
const rows = element('use-days', HTMLElement)
const figure = new Intl.NumberFormat('en')
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

const latest = new Latest()

/** `ask` fails with a sentence to be shown; an empty one shows nothing. */
export function connectOwnUse(ask: (signal: AbortSignal) => Promise<OwnUse>) {
  const clear = () => {
    latest.drop()
    problem.textContent = ''
    sums.textContent = ''
    rows.replaceChildren()
    show.removeAttribute('aria-busy')
  }
  show.addEventListener('click', async () => {
    problem.textContent = ''
    show.setAttribute('aria-busy', 'true')
    await latest.ask(
      ask,
      ({ days }) => {
        draw(days)
        tell(sums.textContent, sums)
        show.removeAttribute('aria-busy')
      },
      (error) => {
        problem.textContent = error instanceof Error ? error.message : ''
        show.removeAttribute('aria-busy')
      },
    )
  })
  return { clear }
}

function draw(days: OwnUse['days']) {
  const used = days.filter(({ admitted, refused }) => admitted + refused > 0).toReversed()
  const total = (of: 'admitted' | 'refused') => used.reduce((sum, each) => sum + each[of], 0)
  sums.textContent = `In ${days.length} days: ${words(total('admitted'), total('refused'))}.`
  rows.replaceChildren(
    ...used.map(({ day: name, admitted, refused }) => {
      const row = document.createElement('li')
      const [title, figures] = [document.createElement('span'), document.createElement('span')]
      title.textContent = day.format(Date.parse(name))
      figures.textContent = words(admitted, refused)
      row.append(title, ' ', figures)
      return row
    }),
  )
}

function words(admitted: number, refused: number) {
  return `${figure.format(admitted)} answered${refused === 0 ? '' : `, ${figure.format(refused)} refused`}`
}
