/** What holds for all of the office: what the shelter is called, how it is reached, and its words for statuses. */

import { currentSession, send, shelterName, useSession } from '../parts/api.ts'
import { attempt, byId, card, field, formOf, make, problemLine, titled } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'
import type { Shown } from '../parts/screen.ts'

export function showSettings(container: HTMLElement): Shown {
  const forms = [shelterTexts(), statusWords()]
  container.append(titled('Settings'), make('div', { class: 'columns' }, ...forms.map(({ element }) => element)))
  return {
    end() {},
    unsaved: () => (forms.some(({ isChanged }) => isChanged()) ? 'What you have typed here is not saved yet.' : ''),
  }
}

function statusWords() {
  return settingsForm({
    title: 'Words for statuses',
    text: 'What people read here and on paper for a status, as “Adopted” for sold. The interface and files keep their words. An empty field is the usual word.',
    fields: { available: 'Word for available', pending: 'Word for pending', sold: 'Word for sold' },
    most: 20,
    held: () => currentSession().words,
    async save(changes) {
      const words = await send('PUT /api/words', changes)
      useSession({ ...currentSession(), words })
    },
  })
}

function shelterTexts() {
  return settingsForm({
    title: 'Shelter',
    text: 'It stands on the sign-in, on the report, on cards and lists, and on the public page.',
    fields: {
      name: 'Name of the shelter',
      telephone: 'Telephone',
      address: 'Address',
      email: 'E-mail address',
      adopt: 'Web address that says how to adopt',
      page: 'Web address of the public page’s folder',
      language: 'Language of the public page, as “de”',
      zone: 'Time zone of the report and the journal',
    },
    choices: { zone: Intl.supportedValuesOf('timeZone') },
    hints: { zone: `Empty: that of this machine, ${currentSession().machineZone}.` },
    most: 200,
    held: () => currentSession().shelter,
    async save(changes) {
      const shelter = await send('PUT /api/shelter', changes)
      useSession({ ...currentSession(), shelter })
      byId('brand').textContent = shelterName()
    },
  })
}

interface OwnTexts<Name extends string> {
  readonly title: string
  readonly text: string
  readonly fields: Readonly<Record<Name, string>>
  /** What may be chosen instead of typed. */
  readonly choices?: Readonly<Partial<Record<Name, readonly string[]>>>
  readonly hints?: Readonly<Partial<Record<Name, string>>>
  readonly most: number
  readonly held: () => Readonly<Partial<Record<Name, string>>>
  readonly save: (changes: Readonly<Record<string, string | null>>) => Promise<void>
}

/** A form of texts that the shelter gives for all of the office. An empty one is sent as null. */
function settingsForm<Name extends string>({ title, text, fields, choices, hints, most, held, save }: OwnTexts<Name>) {
  const rows = (Object.entries(fields) as [Name, string][]).map(([name, label]) => ({
    name,
    ...field(label, make('input', { dir: 'auto', autocomplete: 'off', maxlength: most }), hints?.[name]),
  }))
  for (const { name, control } of rows) {
    const offered = choices?.[name]
    if (offered === undefined) continue
    const list = make('datalist', { id: `${control.id}-choices` }, ...offered.map((value) => make('option', { value })))
    control.setAttribute('list', list.id)
    control.after(list)
  }
  const problem = problemLine()
  const fieldset = make('div', { class: 'fields' }, ...rows.map(({ element }) => element))
  const fill = () => {
    for (const { name, control } of rows) control.value = held()[name] ?? ''
  }
  const changes = () =>
    rows.flatMap(({ name, control }) => {
      const typedIn = control.value.trim()
      return typedIn === (held()[name] ?? '') ? [] : [[name, typedIn === '' ? null : typedIn] as const]
    })
  const form = formOf([fieldset, problem.element], 'Save', () =>
    attempt(problem, async () => {
      if (changes().length === 0) return toast('There is nothing to save.')
      await save(Object.fromEntries(changes()))
      fill()
      toast('Saved. Those who are signed in see it after loading the page again.')
    }),
  )
  fill()
  return { element: card(title, make('p', {}, text), form), isChanged: () => changes().length > 0 }
}
