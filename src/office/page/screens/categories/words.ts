/** The shelter's own words for statuses. */

import type { StatusWords, Words } from '../../../office-data.ts'
import { currentSession, send, useSession } from '../../parts/api.ts'
import { field, make, onSubmit } from '../../parts/elements.ts'
import { toast } from '../../parts/toast.ts'
import { sentenceOf } from '../../parts/words.ts'

export function statusWords() {
  const rows = (['available', 'pending', 'sold'] as const).map((status) => ({
    status,
    word: field(`Word for ${status}`, make('input', { dir: 'auto', autocomplete: 'off', maxlength: 20 })),
  }))
  const problem = make('p', { class: 'problem', role: 'alert' })
  const form = make('form', {}, ...rows.map(({ word }) => word.element), problem)
  form.append(make('div', { class: 'actions' }, make('button', { type: 'submit' }, 'Save words')))
  const text =
    'What people read here and on paper for a status, as “Adopted” for sold. The interface and files keep their words. An empty field is the usual word.'
  const element = make(
    'section',
    { class: 'card apart' },
    make('h2', {}, 'Words for statuses'),
    make('p', {}, text),
    form,
  )
  const fill = () => {
    for (const { status, word } of rows) word.control.value = currentSession().words[status] ?? ''
  }
  const changes = (): Words =>
    Object.fromEntries(
      rows.flatMap(({ status, word: { control } }) => {
        const word = control.value.trim()
        return word === (currentSession().words[status] ?? '') ? [] : [[status, word === '' ? null : word]]
      }),
    )
  onSubmit(form, async () => {
    problem.textContent = ''
    if (Object.keys(changes()).length === 0) return toast('There is nothing to save.')
    try {
      const words: StatusWords = await send('PUT', 'api/words', changes())
      useSession({ ...currentSession(), words })
      fill()
      toast('The words are saved. Who is signed in sees them after loading the page again.')
    } catch (error) {
      problem.textContent = sentenceOf(error)
    }
  })
  fill()
  return { element, isChanged: () => Object.keys(changes()).length > 0 }
}
