/** Settings of the whole office: the shelter, its words for statuses, and its public page. */

import { PetStatus } from '../../../contract/schemas.ts'
import { PAGE_LANGUAGES } from '../../../domain/settings.ts'
import type { PublishedPage } from '../../office-data.ts'
import { currentSession, get, Latest, send, shelterName, useSession } from '../parts/api.ts'
import { suggest } from '../parts/combobox.ts'
import { Draft } from '../parts/draft.ts'
import { byId, type Child, card, fill, make, titled } from '../parts/elements.ts'
import { formOf, problemLine, submitButton, textField } from '../parts/fields.ts'
import { toast } from '../parts/toasts.ts'
import { moment, quoted } from '../parts/words.ts'

const LANGUAGE_NAMES = new Map(
  PAGE_LANGUAGES.map((tag) => [tag as string, new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag]),
)
const ZONES = Intl.supportedValuesOf('timeZone')

function tagOf(text: string) {
  const language = [...LANGUAGE_NAMES].find(([tag, name]) => [tag, name.toLowerCase()].includes(text.toLowerCase()))
  return language?.[0] ?? text
}

function zoneOf(text: string) {
  const typed = text.trim().toLowerCase().replaceAll(' ', '_')
  return ZONES.find((zone) => [zone.toLowerCase(), zone.toLowerCase().split('/').at(-1)].includes(typed)) ?? text
}

export function showSettings() {
  return [
    titled('Settings'),
    make('div', { class: 'columns' }, shelterTexts(), make('div', {}, publicPage(), statusWords())),
  ]
}

function statusWords() {
  const word = (label: string) => textField(label, { maxlength: 20 })
  return settingsForm({
    title: 'Words for statuses',
    text: 'What people see for each status here and in print, such as “Adopted” for sold. The API and files keep the standard words. Leave a field empty to use the standard word.',
    fields: { available: word('Word for available'), pending: word('Word for pending'), sold: word('Word for sold') },
    current: () => currentSession().words,
    async save(changes) {
      const words = await send('PUT /api/words', changes)
      useSession({ ...currentSession(), words })
    },
  })
}

const text = (label: string, hint?: string) => textField(label, { maxlength: 200 }, hint)

function shelterTexts() {
  const hint = `Leave empty to use the server’s time zone, ${currentSession().machineZone}.`
  const zone = text('Time zone', hint)
  suggest(zone.control, ZONES)
  return settingsForm({
    title: 'Shelter',
    text: 'Shown at sign-in, on the report, cards and lists, and on the public page.',
    fields: {
      name: text('Shelter name'),
      telephone: text('Phone number'),
      address: text('Address'),
      email: text('Email address'),
      zone,
    },
    current: () => currentSession().shelter,
    save: saveShelter,
  })
}

function publicPage() {
  const { language } = currentSession().shelter
  // An English page uses the office's words.
  const words = language === '' || language === 'en' ? [] : PetStatus.enum
  const ofLanguage = words.map((status) => [
    `${status}-${language}`,
    textField(`Word for ${status} on this page`, { maxlength: 20 }),
  ])
  const languageField = text('Language', 'Leave empty for English.')
  suggest(languageField.control, [...LANGUAGE_NAMES.values()])
  return settingsForm({
    title: 'Public page',
    text: pageState(),
    fields: {
      page: text('Web address', 'The address of its folder, such as https://www.example.org/animals/'),
      title: text('Title', 'Leave empty for “Our animals” in the language of the page.'),
      language: languageField,
      statuses: text('Statuses', 'Which animals it shows, such as available, pending. Leave empty for available.'),
      adopt: text('How to adopt', 'The address of your page about adoption.'),
      photos: text(
        'Pictures',
        'The address of each picture, such as https://photos.example.org/{number}.jpg. {reference} works too.',
      ),
      'animal-pages': text('Animal pages', 'Type yes to create them for more than 10,000 animals too, or no for none.'),
      ...Object.fromEntries(ofLanguage),
    },
    current: () => {
      const { shelter } = currentSession()
      return { ...shelter, language: LANGUAGE_NAMES.get(shelter.language) ?? shelter.language }
    },
    save: saveShelter,
  })
}

function pageState() {
  const words = make('span', {}, 'The animals as a page for your website.')
  void new Latest().ask(
    () => get('/api/page'),
    (page) => fill(words, ' ', stateWords(page, currentSession().shelter.page)),
  )
  return words
}

function stateWords({ folder, writtenAtMs, failure }: PublishedPage, address: string): Child {
  const option = (text: string) => make('code', { class: 'option' }, text)
  if (folder === null) {
    const [serving, publishing] = [option('--publish FOLDER'), option('pets publish FOLDER')]
    return ['To publish it, start the service with ', serving, ' or run ', publishing, '.']
  }
  const place = quoted(folder, 200, '')
  if (failure !== null) return `It could not be written to ${place}: ${failure}`
  if (writtenAtMs === null) return `It is being written to ${place}.`
  const next =
    address === ''
      ? 'Copy this folder to your website, and type its web address below.'
      : make('a', { href: address, target: '_blank', rel: 'noreferrer' }, 'Open page')
  return [`It is in ${place} as of ${moment(writtenAtMs)}. `, next]
}

async function saveShelter({ language, zone, ...others }: Readonly<Record<string, string | null>>) {
  const shelter = await send('PUT /api/shelter', {
    ...others,
    ...(language !== undefined && { language: language && tagOf(language) }),
    ...(zone !== undefined && { zone: zone && zoneOf(zone) }),
  })
  useSession({ ...currentSession(), shelter })
  byId('brand').textContent = shelterName()
}

interface OwnTexts {
  readonly title: string
  readonly text: Child
  readonly fields: Readonly<Record<string, ReturnType<typeof textField>>>
  readonly current: () => Readonly<Partial<Record<string, string>>>
  readonly save: (changes: Readonly<Record<string, string | null>>) => Promise<void>
}

function settingsForm({ title, text, fields, current, save }: OwnTexts) {
  for (const [name, { control }] of Object.entries(fields)) control.name = name
  const draft = new Draft()
  draft.fill(fields, current())
  const submit = async () => {
    if (!draft.isTyped) return toast('There is nothing to save.')
    const texts = Object.entries(draft.typed).map(([name, text]) => [name, text.trim() || null])
    await draft.save(() => save(Object.fromEntries(texts)))
    draft.fill(fields, current())
    toast('Saved. Other people see it when they reload the page.', { about: [title] })
  }
  const body = make('div', { class: 'fields' }, Object.values(fields))
  const form = formOf([body, problemLine()], submit, submitButton('Save'))
  return card(title, make('p', {}, text), form)
}
