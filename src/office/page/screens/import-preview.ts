/**
 * The preview of an import: the verdict with its button, then each animal that changes, old and new values, and the
 * rows that cannot be imported.
 */

import { ACTS, actWord, changesText } from '../../../domain/file-outcome.ts'
import type { SyncKind } from '../../../rules/sync.ts'
import type { Candidate, FileChange, FileGroup, ImportRequest, SyncPreview, Upload } from '../../office-data.ts'
import { categoryIn, categoryWord } from '../parts/categories.ts'
import { actions, type Child, make, quiet, typed } from '../parts/elements.ts'
import { choice, onSubmit, problemLine, select, submitButton } from '../parts/fields.ts'
import { table } from '../parts/table.ts'
import { capital, count, dayInFull, figure, quoted, statusIn } from '../parts/words.ts'

/** Rows shown at once; the filters find the others. */
const ROWS = 200
/** Statuses and categories that a line of the verdict names, and animals that a row could be. */
const MAX_NAMES = 6

/** How the outcomes of files are written in the office. */
export const words = () => ({ figure, sold: statusIn('sold') })

const actTitle = (act: SyncKind) => capital(actWord(act, words()))

/** What becomes of the animals, a line for each act: how many, by status and category, or why. */
function verdictOf({ animals, badRows, gone, duplicates, sync, groups }: Upload) {
  const counts: Partial<SyncPreview['counts']> = sync?.counts ?? { added: animals - duplicates }
  const groupsOf = (kind: FileGroup['kind']) => groupWords(groups.filter((group) => group.kind === kind))
  const lines = ACTS.filter((act) => counts[act]).map((act) => {
    const unlisted = act === 'marked' || act === 'removed' ? ['no longer listed'] : []
    return verdictLine(actTitle(act), counts[act] ?? 0, [...unlisted, ...groupsOf(act)].join('; '))
  })
  const alike = sync?.alike.rows ?? duplicates
  const look = alike === 1 ? 'looks like an animal here' : 'look like animals here'
  const question = `${sync === null ? '' : 'of those added '}${look}`
  const fates = gone.words.map(({ word, rows }) => `${figure(rows)} ${quoted(word, 30)}`).join(', ')
  const kinds = mostOf(gone.categories.map(({ id, rows }) => [rows, categoryIn(id)]))
  const why = [
    [gone.rows, `not here any more (${[fates, kinds].filter(Boolean).join('; ')})`] as const,
    [badRows, badRows === 1 ? 'bad row' : 'bad rows'] as const,
  ].filter(([n]) => n > 0)
  const whyLeft = why.map(([n, reason]) => (why.length === 1 ? reason : `${figure(n)} ${reason}`)).join('; ')
  const stay = (sync?.unlisted ?? 0) - (counts.marked ?? 0) - (counts.removed ?? 0)
  const isSame = animals > 0 && sync !== null && lines.length === 0
  return [
    isSame && quiet(`${count(animals, 'animal')}, all here as in the file.`),
    make(
      'dl',
      { class: 'verdict-words' },
      lines,
      verdictLine('No longer listed', stay, stay === 1 ? 'stays as it is' : 'stay as they are'),
      verdictLine('To be decided', alike, [question, ...groupsOf('alike')].join('; ')),
      verdictLine('Left out', gone.rows + badRows, whyLeft),
    ),
  ]
}

/** Of none there is no line. */
function verdictLine(title: string, n: number, details: string) {
  const words = [make('strong', { class: 'number' }, figure(n)), ' ', make('span', { class: 'quiet' }, details)]
  return n > 0 && make('div', {}, make('dt', {}, title), make('dd', {}, words))
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

function mostOf(counts: readonly (readonly [n: number, word: string])[]) {
  const sorted = counts.toSorted(([a, one], [b, other]) => b - a || one.localeCompare(other))
  const parts = sorted.map(([n, word]) => `${figure(n)} ${word}`)
  return parts.slice(0, MAX_NAMES).join(', ') + (parts.length > MAX_NAMES ? ' …' : '')
}

/** An animal that a row could be: its number, status and day tell it from its namesakes. */
function candidateOf({ id, status, sinceMs }: Candidate) {
  const since = sinceMs === null ? '' : `, since ${dayInFull(sinceMs, 'UTC')}`
  const link = make('a', { class: 'lone', href: `#animal/${id}` }, `Animal ${id}`)
  return make('span', {}, link, `, ${statusIn(status)}${since}`)
}

/** The verdict, what a person has to agree to, and the button; `onImport` does it. */
export function verdictForm(upload: Upload, onImport: (choices: ImportRequest) => Promise<void>) {
  const { id, animals, badRows, duplicates, newCategories, sync } = upload
  const { tooMany = null, reassigned = null, alike: rowsAlike = { rows: 0, first: [] } } = sync ?? {}
  const skip =
    badRows > 0 &&
    sync === null &&
    consent(
      `Leave the ${count(badRows, 'bad row')} out`,
      'Tick this, or correct the rows in the file and choose it again.',
    )
  const agree =
    tooMany !== null &&
    consent(
      `Let ${figure(tooMany.changed)} of ${count(tooMany.of, 'animal')} of the last file change or go`,
      'Tick this if it is right.',
    )
  const same =
    reassigned !== null &&
    consent(
      `${figure(reassigned.animals)} numbers stand for animals of another name and category: ${quoted(reassigned.reference, 60, '')} was ${quoted(reassigned.was, 60, '')} and is ${quoted(reassigned.now, 60, '')} now. They are the same animals, renamed`,
      'Most likely these numbers were given to other animals: choose another column as the reference. Tick this only if they are the same.',
    )
  const twice = duplicates > 0 && sync === null ? duplicatesChoice(duplicates) : undefined
  const alike = rowsAlike.rows > 0 && alikeChoice(rowsAlike)
  const choices = [skip, twice, agree, same, alike].filter((one) => one !== false && one !== undefined)
  const submit = submitButton('')
  const label = () => {
    const answer = twice ? twice.read() : 'add'
    const n = answer === 'leave out' ? animals - duplicates : animals
    const act = answer === undefined ? 'Import' : `Import ${count(n, 'animal')}`
    submit.textContent = sync === null ? act : 'Update'
  }
  label()
  twice?.element.addEventListener('change', label)
  const names = newCategories.map(({ name }) => quoted(name, 60, '')).join(', ')
  const form = make(
    'form',
    {},
    verdictOf(upload),
    names !== '' && quiet(`New ${newCategories.length === 1 ? 'category' : 'categories'}: ${names}.`),
    sync !== null && reasonsOf(upload, sync),
    choices,
    (sync === null ? animals > 0 : canSync(upload)) && actions(submit),
  )
  onSubmit(form, async () => {
    if (!choices.map((one) => one.isGiven()).every(Boolean)) return
    const adopts = alike ? alike.read() : undefined
    await onImport({
      upload: id,
      skipInvalid: skip !== false,
      duplicates: twice?.read() ?? 'refuse',
      ...(adopts !== undefined && { adopts }),
      ...((agree || same) && { agrees: true }),
      ...(same && { renames: true }),
    })
  })
  return form
}

/** Why nothing can be synced, or what is to be known of it. */
function reasonsOf({ badRows, found }: Upload, { counts, unclear, unclearRows }: SyncPreview): readonly Child[] {
  if (found?.words.some(({ meaning }) => meaning === null))
    return [make('p', { class: 'problem' }, 'Words of the file are not understood; choose below what they mean.')]
  if (badRows > 0) {
    const words = `Correct the bad rows first: a file that updates is taken as a whole. To add its animals without them, choose ${quoted('No column')} as the reference.`
    return [make('p', { class: 'problem' }, words)]
  }
  if (unclear === 0 || counts.added === 0) return []
  const rows = unclearRows.map(({ reference, name, animals }) => {
    const some = animals.slice(0, MAX_NAMES).map((one) => make('p', {}, candidateOf(one)))
    const words = make('span', {}, `${nameIn(name, reference)}, could be`)
    return make('li', {}, words, make('div', {}, some, restOf(animals.length - MAX_NAMES)))
  })
  const sentence = `${figure(unclear)} of those added ${unclear === 1 ? 'looks like an animal' : 'look like animals'} here, but which is which is not clear.`
  return [quiet(sentence), make('ul', { class: 'most' }, rows)]
}

function nameIn(name: string, reference: string) {
  return `${quoted(name, 60, '')}, ${quoted(reference, 60, '')}`
}

/** Those that are not shown. */
function restOf(n: number) {
  return n > 0 && quiet(`and ${count(n, 'more', 'more')}`)
}

function canSync({ badRows, sync }: Upload) {
  return sync !== null && badRows === 0 && changesText(sync.counts) !== ''
}

/** Every animal that changes, to be filtered by what becomes of it and by its name or reference. */
export function changesOf({ counts, changes }: SyncPreview) {
  const kinds = ACTS.filter((act) => counts[act] > 0)
  const all = kinds.reduce((sum, kind) => sum + counts[kind], 0)
  const options = kinds.map((act) => [act, `${actTitle(act)} (${figure(counts[act])})`] as const)
  const label = { 'aria-label': 'What becomes of them' }
  const kind = select([['', `All changes (${figure(all)})`], ...options], '', label)
  const text = make('input', { type: 'search', 'aria-label': 'Find among the changes', placeholder: 'Find' })
  const more = quiet()
  const changesTable = table<FileChange>('What changes', [
    { title: 'Animal', cell: animalOf },
    { title: 'Reference', cell: ({ reference }) => typed(reference) },
    { title: 'What', cell: ({ kind }) => actTitle(kind) },
    { title: 'Old → new', cell: (change) => typed(differenceOf(change)) },
  ])
  const show = () => {
    const query = text.value.trim().toLowerCase()
    const fits = changes.filter(
      ({ kind: one, now, reference }) =>
        (kind.value === '' || one === kind.value) && `${now.name} ${reference}`.toLowerCase().includes(query),
    )
    changesTable.show(fits.slice(0, ROWS))
    const rest = Math.max(fits.length - ROWS, 0) + (query === '' ? Math.max(all - changes.length, 0) : 0)
    more.textContent = rest === 0 ? '' : `and ${count(rest, 'more', 'more')}`
  }
  kind.addEventListener('change', show)
  text.addEventListener('input', show)
  show()
  return make('div', { class: 'apart' }, make('div', { class: 'search bar' }, text, kind), changesTable, more)
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
  const rest = restOf(badRows - problems.length)
  return make('div', { class: 'problems' }, make('h3', {}, 'Bad rows'), make('ul', {}, lines), rest)
}

export function previewOf({ preview: rows }: Upload) {
  const animalsTable = table<Upload['preview'][number]>(
    'The first animals of the file',
    [
      { title: 'Name', cell: ({ name }) => typed(name) },
      { title: 'Category', cell: ({ categoryId }) => typed(categoryWord(categoryId)) },
      {
        title: 'Status',
        cell: ({ status }) => make('span', { class: `badge ${status ?? 'none'}` }, statusIn(status)),
      },
    ],
    { isCompact: true, rows },
  )
  return make('div', {}, make('h3', {}, rows.length < 10 ? 'The animals' : 'The first ten'), animalsTable)
}

/** What has to be ticked; otherwise it says what to do. */
function consent(label: string, ask: string) {
  const control = make('input', { type: 'checkbox' })
  const problem = problemLine()
  return {
    element: make('div', {}, choice(control, make('span', {}, label)), problem),
    isGiven() {
      problem.mark(control.checked ? '' : ask)
      if (!control.checked) control.focus()
      return control.checked
    },
  }
}

/** One of several answers, of which none is chosen at first; `more` stands below them. */
function question<T>(title: string, answers: readonly (readonly [T, string])[], more: Child) {
  const problem = problemLine()
  const radios = answers.map(([value, words]) => {
    const control = make('input', { type: 'radio', name: title })
    return { value, control, element: choice(control, make('span', {}, words)) }
  })
  const read = () => radios.find(({ control }) => control.checked)?.value
  return {
    element: make('fieldset', { class: 'meanings' }, make('legend', {}, title), radios, more, problem),
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
    box.addEventListener('change', () => radioGroup.choose('some'))
    const label = choice(box, make('span', {}, nameIn(one.name, one.reference)))
    return { box, element: make('li', {}, label, make('span', { class: 'few' }, candidateOf(one))) }
  })
  const title = `${count(rows, 'row')} ${isOne ? 'looks like an animal' : 'look like animals'} here, by name and category`
  const answers: [boolean | 'some', string][] = [
    [true, isOne ? 'It is this animal' : 'They are these animals'],
    [false, isOne ? 'It is new' : 'They are new'],
    ['some', 'Only those ticked are'],
  ]
  const radioGroup = question(title, isFew ? answers : answers.slice(0, 2), make('ul', { class: 'most' }, boxes))
  const read = (): ImportRequest['adopts'] => {
    const answer = radioGroup.read()
    return answer === 'some' ? boxes.flatMap(({ box }) => (box.checked ? [box.value] : [])) : answer
  }
  return { ...radioGroup, read }
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
  return question<ImportRequest['duplicates']>(words, answers, quiet(hint))
}
