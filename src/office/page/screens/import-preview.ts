/**
 * The preview of an import: the verdict with its button, then each animal that changes, old and new values, and the
 * rows that cannot be imported.
 */

import { ACTS, actWord, changesText } from '../../../domain/file-outcome.ts'
import type { SyncKind } from '../../../rules/sync.ts'
import type { Candidate, FileChange, FileGroup, ImportRequest, SyncPreview, Upload } from '../../office-data.ts'
import { categoryIn, categoryWord } from '../parts/categories.ts'
import { actions, make, onSubmit, problemLine, typed } from '../parts/elements.ts'
import { table } from '../parts/table.ts'
import { capital, count, dayInFull, figure, quoted, statusIn } from '../parts/words.ts'

/** Rows shown at once; the filters find the others. */
const ROWS = 200
/** Statuses and categories that a line of the verdict names, and animals that a row could be. */
const NAMED = 6

/** How the outcomes of files are written in the office. */
export const words = () => ({ figure, sold: statusIn('sold') })

const actTitle = (act: SyncKind) => capital(actWord(act, words()))

/** What becomes of the animals, a line for each act: how many, by status and category, or why. */
function verdictOf({ animals, badRows, gone, duplicates, update, groups }: Upload) {
  const counts: Partial<SyncPreview['counts']> = update?.counts ?? { added: animals - duplicates }
  const done = ACTS.flatMap((act) => {
    const unlisted = act === 'marked' || act === 'removed' ? ['no longer listed'] : []
    const parts = [...unlisted, ...groupWords(groups.filter(({ kind }) => kind === act))]
    return counts[act] ? [verdictLine(actTitle(act), counts[act], parts.join('; '))] : []
  })
  const alike = update?.alike.rows ?? duplicates
  const one = alike === 1
  const question = `${update === null ? '' : 'of those added '}${one ? 'looks' : 'look'} like ${one ? 'an animal' : 'animals'} here`
  const left = gone.rows + badRows
  const fates = gone.words.map(({ word, rows }) => `${figure(rows)} ${quoted(word, 30)}`).join(', ')
  const kinds = mostOf(gone.categories.map(({ id, rows }) => [rows, categoryIn(id)]))
  const why = [
    [gone.rows, `not here any more (${[fates, kinds].filter(Boolean).join('; ')})`] as const,
    [badRows, badRows === 1 ? 'bad row' : 'bad rows'] as const,
  ].filter(([n]) => n > 0)
  const whyLeft = why.map(([n, reason]) => (why.length === 1 ? reason : `${figure(n)} ${reason}`)).join('; ')
  const stay = (update?.unlisted ?? 0) - (counts.marked ?? 0) - (counts.removed ?? 0)
  const lines = [
    ...done,
    ...(stay > 0 ? [verdictLine('No longer listed', stay, stay === 1 ? 'stays as it is' : 'stay as they are')] : []),
    ...(alike > 0
      ? [
          verdictLine(
            'To be decided',
            alike,
            [question, ...groupWords(groups.filter(({ kind }) => kind === 'alike'))].join('; '),
          ),
        ]
      : []),
    ...(left > 0 ? [verdictLine('Left out', left, whyLeft)] : []),
  ]
  const same = animals > 0 && update !== null && done.length === 0
  return [
    same ? make('p', { class: 'quiet' }, `${count(animals, 'animal')}, all here as in the file.`) : undefined,
    make('dl', { class: 'verdict-words' }, ...lines),
  ]
}

function verdictLine(title: string, n: number, details: string) {
  return make(
    'div',
    {},
    make('dt', {}, title),
    make('dd', {}, make('strong', { class: 'number' }, figure(n)), ' ', make('span', { class: 'quiet' }, details)),
  )
}

/** As in "8 Available, 4 Pending" and "7 Dogs, 5 Cats". */
function groupWords(groups: Upload['groups']) {
  const words = [({ status }: FileGroup) => statusIn(status), ({ categoryId }: FileGroup) => categoryIn(categoryId)]
  const sums = words.map((wordOf) => [...Map.groupBy(groups, wordOf)].map(([word, of]) => [sumOf(of), word] as const))
  return groups.length === 0 ? [] : sums.map(mostOf)
}

function sumOf(groups: Upload['groups']) {
  return groups.reduce((sum, { animals }) => sum + animals, 0)
}

/** The most frequent first. */
function mostOf(counts: readonly (readonly [n: number, word: string])[]) {
  const sorted = counts.toSorted(([a, one], [b, other]) => b - a || one.localeCompare(other))
  const named = sorted.map(([n, word]) => `${figure(n)} ${word}`)
  return named.slice(0, NAMED).join(', ') + (named.length > NAMED ? ' …' : '')
}

/** An animal that a row could be: its number, status and day tell it from its namesakes. */
function candidateOf({ id, status, sinceMs }: Candidate) {
  const since = sinceMs === null ? '' : `, since ${dayInFull(sinceMs)}`
  const link = make('a', { class: 'lone', href: `#animal/${id}` }, `Animal ${id}`)
  return make('span', {}, link, `, ${statusIn(status)}${since}`)
}

/** The verdict, what a person has to agree to, and the button; `onImport` does it. */
export function verdictForm(found: Upload, onImport: (asked: ImportRequest) => Promise<void>) {
  const { id, animals, badRows, duplicates, newCategories, update } = found
  const form = make('form', {}, ...verdictOf(found))
  const submit = make('button', { type: 'submit' }, '')
  const { tooMany = null } = update ?? {}
  const skip = choice(
    `Leave the ${count(badRows, 'bad row')} out`,
    'Tick this, or correct the rows in the file and choose it again.',
  )
  const many = tooMany ?? { changed: 0, of: 0 }
  const agree = choice(
    `${figure(many.changed)} of ${count(many.of, 'animal')} of the last file change or go`,
    'Tick this if it is right.',
  )
  const reassigned = update?.reassigned ?? null
  const same = choice(
    reassigned === null
      ? ''
      : `${figure(reassigned.animals)} numbers stand for animals of another name and category: ${reassigned.reference} was ${reassigned.was} and is ${reassigned.now} now. They are the same animals, renamed`,
    'Most likely these numbers were given to other animals: choose another column as the reference. Tick this only if they are the same.',
  )
  const duplicateChoice = duplicatesChoice(duplicates)
  const alike = alikeChoice(update?.alike ?? { rows: 0, first: [] })
  const label = () => {
    const left = duplicateChoice.read() === 'leave out' ? duplicates : 0
    submit.textContent = update === null ? `Import ${count(animals - left, 'animal')}` : 'Update'
  }
  label()
  duplicateChoice.element.addEventListener('change', label)
  const choices = [
    ...(badRows > 0 && update === null ? [skip] : []),
    ...(duplicates > 0 && update === null ? [duplicateChoice] : []),
    ...(tooMany === null ? [] : [agree]),
    ...(reassigned === null ? [] : [same]),
    ...(update === null || update.alike.rows === 0 ? [] : [alike]),
  ]
  if (newCategories.length > 0) {
    const names = newCategories.map(({ name }) => name).join(', ')
    form.append(
      make('p', { class: 'quiet' }, `New ${newCategories.length === 1 ? 'category' : 'categories'}: ${names}.`),
    )
  }
  form.append(...(update === null ? [] : reasonsOf(found, update)), ...choices.map(({ element }) => element))
  if (update === null ? animals > 0 : canUpdate(found)) form.append(actions(submit))
  onSubmit(form, async () => {
    if (!choices.map((one) => one.isGiven()).every(Boolean)) return
    const skipInvalid = update === null && badRows > 0
    const adopts = alike.read()
    await onImport({
      upload: id,
      skipInvalid,
      duplicates: duplicateChoice.read() ?? 'refuse',
      ...(adopts !== undefined && { adopts }),
      ...((tooMany !== null || reassigned !== null) && { agrees: true }),
      ...(reassigned !== null && { renames: true }),
    })
  })
  return form
}

/** Why nothing can be updated, or what is to be known of it. */
function reasonsOf({ badRows, found }: Upload, { counts, unclear, unclearRows }: SyncPreview): readonly HTMLElement[] {
  if (found?.words.some(({ meaning }) => meaning === null))
    return [make('p', { class: 'problem' }, 'Words of the file are not understood; choose below what they mean.')]
  if (badRows > 0) {
    const words = `Correct the bad rows first: a file that updates is taken as a whole. To add its animals without them, choose ${quoted('No column')} as the reference.`
    return [make('p', { class: 'problem' }, words)]
  }
  if (unclear === 0 || counts.added === 0) return []
  const rows = unclearRows.map(({ reference, name, animals }) => {
    const more = animals.length - NAMED
    const some = animals.slice(0, NAMED).map((one) => make('p', {}, candidateOf(one)))
    const rest = more > 0 ? [make('p', { class: 'quiet' }, `and ${count(more, 'more', 'more')}`)] : []
    return make('li', {}, typed(`${name}, ${reference}, could be`), make('div', {}, ...some, ...rest))
  })
  const sentence = `${figure(unclear)} of those added ${unclear === 1 ? 'looks like an animal' : 'look like animals'} here, but which is which is not clear.`
  return [make('p', { class: 'quiet' }, sentence), make('ul', { class: 'most' }, ...rows)]
}

function canUpdate({ badRows, update }: Upload) {
  return update !== null && badRows === 0 && changesText(update.counts) !== ''
}

/** Every animal that changes, to be filtered by what becomes of it and by its name or reference. */
export function changesOf({ counts, changes }: SyncPreview) {
  const kinds = ACTS.filter((act) => counts[act] > 0)
  const options = kinds.map((act) => make('option', { value: act }, `${actTitle(act)} (${figure(counts[act])})`))
  const all = kinds.reduce((sum, kind) => sum + counts[kind], 0)
  const kind = make(
    'select',
    { 'aria-label': 'What becomes of them' },
    make('option', { value: '' }, `All changes (${figure(all)})`),
    ...options,
  )
  const text = make('input', {
    type: 'search',
    'aria-label': 'Find among the changes',
    placeholder: 'Find',
  })
  const more = make('p', { class: 'quiet' })
  const shown = table<FileChange>('What changes', [
    { title: 'Animal', cell: animalOf },
    { title: 'Reference', cell: ({ reference }) => typed(reference) },
    { title: 'What', cell: ({ kind }) => actTitle(kind) },
    { title: 'Old → new', cell: (change) => typed(differenceOf(change)) },
  ])
  const show = () => {
    const wanted = text.value.trim().toLowerCase()
    const fits = changes.filter(
      ({ kind: one, now, reference }) =>
        (kind.value === '' || one === kind.value) && `${now.name} ${reference}`.toLowerCase().includes(wanted),
    )
    shown.show(fits.slice(0, ROWS))
    const rest = Math.max(fits.length - ROWS, 0) + (wanted === '' ? Math.max(all - changes.length, 0) : 0)
    more.textContent = rest === 0 ? '' : `and ${count(rest, 'more', 'more')}`
  }
  kind.addEventListener('change', show)
  text.addEventListener('input', show)
  show()
  return make('div', { class: 'apart' }, make('div', { class: 'search bar' }, text, kind), shown.element, more)
}

function animalOf({ id, now, before }: FileChange) {
  const name = typed((before ?? now).name)
  return id === null ? name : make('a', { href: `#animal/${id}` }, name)
}

/** As in "Available → Adopted"; of one that is new, what it will be. */
function differenceOf({ kind, before, now }: FileChange) {
  const words = ({ name, categoryId, status }: FileChange['now']) => [
    quoted(name, 300, ''),
    categoryIn(categoryId),
    statusIn(status),
  ]
  if (kind === 'removed') return `${statusIn(before?.status ?? null)} → removed`
  const after = words(now)
  if (before === null) return after.slice(1).join(', ')
  const changed = words(before).flatMap((word, at) => (word === after[at] ? [] : [`${word} → ${after[at]}`]))
  return changed.length === 0 ? 'as it is' : changed.join(', ')
}

export function problemsOf({ problems, badRows }: Upload) {
  const lines = problems.map(({ line, text }) =>
    make('li', {}, make('strong', { class: 'number' }, `Line ${line}`), ' ', typed(text)),
  )
  const rest = badRows - problems.length
  const more = rest > 0 ? make('p', { class: 'quiet' }, `and ${count(rest, 'more', 'more')}`) : undefined
  return make('div', { class: 'problems' }, make('h3', {}, 'Bad rows'), make('ul', {}, ...lines), more)
}

export function previewOf({ preview }: Upload) {
  const shown = table<Upload['preview'][number]>(
    'The first animals of the file',
    [
      { title: 'Name', cell: ({ name }) => typed(name) },
      { title: 'Category', cell: ({ categoryId }) => typed(categoryWord(categoryId)) },
      {
        title: 'Status',
        cell: ({ status }) => make('span', { class: `badge ${status ?? 'none'}` }, statusIn(status)),
      },
    ],
    { isCompact: true },
  )
  shown.show(preview)
  return make('div', {}, make('h3', {}, preview.length < 10 ? 'The animals' : 'The first ten'), shown.element)
}

function labelled(control: HTMLInputElement, words: string) {
  return make('label', { class: 'choice' }, control, make('span', {}, words))
}

/** What has to be ticked; otherwise it says what to do. */
function choice(label: string, ask: string) {
  const control = make('input', { type: 'checkbox' })
  const problem = problemLine()
  return {
    element: make('div', {}, labelled(control, label), problem.element),
    isGiven() {
      problem.mark(control.checked ? '' : ask)
      if (!control.checked) control.focus()
      return control.checked
    },
  }
}

/** One of several answers, of which none is chosen at first; `more` stands below them. */
function question<T>(title: string, answers: readonly (readonly [T, string])[], ...more: readonly Node[]) {
  const problem = problemLine()
  const radios = answers.map(([value, words]) => {
    const control = make('input', { type: 'radio', name: title })
    return { value, control, element: labelled(control, words) }
  })
  const elements = radios.map(({ element }) => element)
  const legend = make('legend', {}, title)
  const read = () => radios.find(({ control }) => control.checked)?.value
  return {
    element: make('fieldset', { class: 'meanings' }, legend, ...elements, ...more, problem.element),
    read,
    choose(answer: T) {
      for (const { value, control } of radios) control.checked = value === answer
    },
    isGiven() {
      const isOpen = read() === undefined
      problem.mark(isOpen ? 'Choose one of them.' : '')
      if (isOpen) radios[0]?.control.focus()
      return !isOpen
    },
  }
}

/** Who rows are that look like animals here: these, new ones, or one by one. */
function alikeChoice({ rows, first }: SyncPreview['alike']) {
  const isOne = rows === 1
  const isFew = first.length === rows && !isOne
  const boxes = first.map((one) => {
    const box = make('input', { type: 'checkbox', value: one.reference, hidden: !isFew })
    box.addEventListener('change', () => chosen.choose('some'))
    const label = make('label', { class: 'choice' }, box, typed(`${one.name}, ${one.reference}`))
    return { box, element: make('li', {}, label, make('span', { class: 'few' }, candidateOf(one))) }
  })
  const title = `${count(rows, 'row')} ${isOne ? 'looks like an animal' : 'look like animals'} here, by name and category`
  const answers: [boolean | 'some', string][] = [
    [true, isOne ? 'It is this animal' : 'They are these animals'],
    [false, isOne ? 'It is new' : 'They are new'],
    ['some', 'Only those ticked are'],
  ]
  const list = make('ul', { class: 'most' }, ...boxes.map(({ element }) => element))
  const chosen = question(title, isFew ? answers : answers.slice(0, 2), list)
  const ticked = () => boxes.flatMap(({ box }) => (box.checked ? [box.value] : []))
  const read = (): ImportRequest['adopts'] => {
    const answer = chosen.read()
    return answer === 'some' ? ticked() : answer
  }
  return { element: chosen.element, isGiven: chosen.isGiven, read }
}

/** What becomes of animals that look like some that are here. */
function duplicatesChoice(duplicates: number) {
  const [verb, them] = duplicates === 1 ? ['looks', 'it'] : ['look', 'them']
  const words = `${count(duplicates, 'animal')} ${verb} like those already here`
  const hint = `To update ${them} instead, choose below, as ${quoted('Reference')}, the column that tells animals apart.`
  const answers = [
    ['leave out', `Leave ${them} out`],
    ['add', `Import ${them} too`],
  ] as const
  return question<ImportRequest['duplicates']>(words, answers, make('p', { class: 'quiet' }, hint))
}
