/** The preview of an import: the verdict with its button, each animal that changes, and invalid rows. */
import { ACTS, actWord } from '../../../domain/file-outcome.ts'
import { maySkipRows, rowsAdvice } from '../../../rules/imports.ts'
import type { SyncKind } from '../../../rules/sync.ts'
import type { FileChange, FileFound, FileGroup, ImportRequest, LikeAnimal, SyncPreview } from '../../office-data.ts'
import { categoryIn } from '../parts/categories.ts'
import { actions, type Child, make, quiet, typed } from '../parts/elements.ts'
import { attempt, choice, field, onSubmit, problemLine, select, submitButton } from '../parts/fields.ts'
import { table } from '../parts/table.ts'
import { capital, count, dayInFull, figure, quoted, statusIn, statusWord } from '../parts/words.ts'

/** Statuses and categories that a line of the verdict names, and animals that a row could be. */
const MAX_NAMES = 6

export const words = () => ({ figure, sold: statusIn('sold') })

const actTitle = (act: SyncKind) => capital(actWord(act, words()))

/** What becomes of the animals, a line for each act. Together they are all rows. */
function verdictOf({ animals, badRows, skipped, duplicates, sync, groups }: FileFound) {
  const counts: Partial<SyncPreview['counts']> = sync?.counts ?? { added: animals - duplicates }
  const groupsOf = (kind: FileGroup['kind']) => groupWords(groups.filter((group) => group.kind === kind))
  const acts = ACTS.filter((act) => counts[act])
  const lines = acts.map((act) => verdictLine(actTitle(act), counts[act] ?? 0, groupsOf(act).join('; ')))
  const { added = 0, adopted = 0, changed = 0, restored = 0 } = counts
  const same = sync === null ? 0 : animals - added - adopted - changed - restored
  const alike = sync?.alike.rows ?? duplicates
  const look = alike === 1 ? 'looks like an animal here' : 'look like animals here'
  const question = `${sync === null ? '' : 'of those added '}${look}`
  return make(
    'dl',
    { class: 'verdict-words' },
    lines,
    verdictLine('As before', same, ''),
    verdictLine('To be decided', alike, [question, ...groupsOf('alike')].join('; ')),
    skipped.map(({ rows, reason }) => verdictLine('Skipped', rows, reason)),
    verdictLine('Invalid', badRows, badRows === 1 ? 'row' : 'rows'),
  )
}

function verdictLine(title: string, n: number, details: string) {
  const words = [make('strong', { class: 'number' }, figure(n)), ' ', make('span', { class: 'quiet' }, details)]
  return n > 0 && make('div', {}, make('dt', {}, title), make('dd', {}, words))
}

/** As in "Available: 8, Pending: 4" and "Dogs: 7, Cats: 5"; where all are the same, its word alone. */
function groupWords(groups: readonly FileGroup[]) {
  const words = [({ status }: FileGroup) => statusIn(status), ({ categoryId }: FileGroup) => categoryIn(categoryId)]
  const sums = words.map((wordOf) => [...Map.groupBy(groups, wordOf)].map(([word, of]) => [sumOf(of), word] as const))
  return groups.length === 0 ? [] : sums.map(mostOf)
}

function sumOf(groups: readonly FileGroup[]) {
  return groups.reduce((sum, { animals }) => sum + animals, 0)
}

function mostOf(counts: readonly (readonly [n: number, word: string])[]) {
  const sorted = counts.toSorted(([a, one], [b, other]) => b - a || one.localeCompare(other))
  const parts = sorted.map(([n, word]) => (sorted.length === 1 ? word : `${word}: ${figure(n)}`))
  return parts.slice(0, MAX_NAMES).join(', ') + (parts.length > MAX_NAMES ? ' …' : '')
}

function candidateOf({ id, status, sinceMs }: LikeAnimal) {
  const since = sinceMs === null ? '' : `, since ${dayInFull(sinceMs, 'UTC')}`
  const link = make('a', { class: 'lone', href: `#animal/${id}` }, `Animal ${id}`)
  return make('span', {}, link, `, ${statusIn(status)}${since}`)
}

/** The verdict, what a person has to agree to, and the button. */
export function verdictForm(
  id: string,
  found: FileFound,
  onImport: (choices: ImportRequest) => Promise<void>,
  onMissing: (missing: string) => void,
) {
  const { animals, badRows, duplicates, newCategories, sync } = found
  const maySkip = maySkipRows(sync !== null, sync?.missing ?? 'keep')
  const skip =
    badRows > 0 &&
    maySkip &&
    consent(`Skip the ${count(badRows, 'invalid row')}`, 'Tick this, or correct the rows and choose the file again.')
  const agree = sync?.guard != null && consent(`Go on: ${sync.guard}`, 'Tick this if it is right.')
  const twice = duplicates > 0 && sync === null ? duplicatesChoice(duplicates) : undefined
  const alike = sync !== null && sync.alike.rows + sync.unclear > 0 && alikeChoice(sync)
  const choices = [skip, twice, agree, alike].filter((one) => one !== false && one !== undefined)
  const submit = submitButton('')
  const label = () => {
    const added = twice?.read() === 'leave out' ? animals - duplicates : animals
    submit.textContent = sync === null ? `Add ${count(added, 'animal')}` : syncWords(sync)
  }
  label()
  twice?.element.addEventListener('change', label)
  const names = newCategories.map(({ name }) => quoted(name, 60, '')).join(', ')
  const problem = problemLine()
  const form = make(
    'form',
    {},
    verdictOf(found),
    names !== '' && quiet(`New ${newCategories.length === 1 ? 'category' : 'categories'}: ${names}.`),
    sync !== null && (sync.unlisted > 0 || (badRows > 0 && !maySkip)) && missingOf(sync, onMissing),
    badRows > 0 &&
      !maySkip &&
      make(
        'p',
        { class: 'problem' },
        `There ${badRows === 1 ? 'is' : 'are'} ${count(badRows, 'invalid row')}. ${rowsAdvice(maySkip)}.`,
      ),
    choices,
    problem,
    (sync === null ? animals > 0 : badRows === 0 || maySkip) && actions(submit),
  )
  onSubmit(form, async () => {
    if (!choices.map((one) => one.isGiven()).every(Boolean)) return
    const adopts = alike ? alike.read() : undefined
    await attempt(problem, () =>
      onImport({
        upload: id,
        skipInvalid: skip !== false,
        duplicates: twice?.read() ?? 'refuse',
        ...(adopts !== undefined && { adopts }),
        ...(agree && { agrees: true }),
      }),
    )
  })
  return form
}

function syncWords({ counts: { added, removed, ...others } }: SyncPreview) {
  const update = Object.values(others).reduce((sum, n) => sum + n, 0)
  const acts = Object.entries({ add: added, update, remove: removed }).filter(([, n]) => n > 0)
  return capital(acts.map(([verb, n]) => `${verb} ${figure(n)}`).join(', ')) || 'Keep how it is read'
}

function missingOf({ unlisted, unlistedRows, missing }: SyncPreview, onMissing: (missing: string) => void) {
  const options = [
    ['keep', 'Stay as they are'],
    ['sold', `Become ${statusWord('sold')}`],
    ['remove', 'Are removed'],
  ] as const
  const answer = field('What becomes of them', select(options, missing))
  answer.control.addEventListener('change', () => onMissing(answer.control.value))
  const names = unlistedRows.map(({ id, name, reference, status }) => {
    const link = make('a', { href: `#animal/${id}`, class: 'lone' }, typed(name))
    return make('li', {}, make('span', {}, link, `\u00a0(${quoted(reference, 60, '')}), ${statusIn(status)}`))
  })
  const list = [make('ul', { class: 'most' }, names), restOf(unlisted - unlistedRows.length)]
  const title = `${count(unlisted, 'animal')} of this list ${unlisted === 1 ? 'is' : 'are'} missing from it now`
  return make('fieldset', { class: 'meanings' }, make('legend', {}, title), list, answer)
}

function nameIn(name: string, reference: string) {
  return `${quoted(name, 60, '')}, ${quoted(reference, 60, '')}`
}

function restOf(n: number) {
  return n > 0 && quiet(`and ${count(n, 'more', 'more')}`)
}

export function changesOf({ animals, changes, sync }: FileFound) {
  const all = sync === null ? animals : ACTS.reduce((sum, act) => sum + sync.counts[act], 0)
  const columns = [
    { title: 'Animal', cell: animalOf },
    { title: 'Change', cell: (change: FileChange) => typed(`${actTitle(change.kind)}: ${differenceOf(change)}`) },
  ]
  const changesTable = table<FileChange>('What changes', columns, { isCompact: true, rows: changes })
  return make('div', { class: 'apart' }, make('h3', {}, 'Changes'), changesTable, restOf(all - changes.length))
}

function animalOf({ id, now, before, reference }: FileChange) {
  const name = typed((before ?? now).name)
  const words = id === null ? name : make('a', { href: `#animal/${id}`, class: 'lone' }, name)
  return [words, reference !== '' && make('span', { class: 'quiet' }, ' ', quoted(reference, 60, ''))]
}

function differenceOf({ kind, before, now }: FileChange) {
  const words = ({ name, categoryId, status }: FileChange['now']) => [
    quoted(name, 300, ''),
    categoryIn(categoryId),
    statusIn(status),
  ]
  const after = words(now)
  if (before === null || kind === 'removed') return after.slice(1).join(', ')
  const changed = words(before).flatMap((word, at) => (word === after[at] ? [] : [`${word} → ${after[at]}`]))
  return changed.length === 0 ? 'as it is' : changed.join(', ')
}

export function problemsOf({ problems, badRows, unit }: FileFound) {
  const lines = problems.map(({ line, text }) =>
    make('li', {}, make('strong', { class: 'number' }, `${capital(unit)} ${line}`), ' ', typed(text)),
  )
  const rest = restOf(badRows - problems.length)
  return make('div', { class: 'problems' }, make('h3', {}, 'Invalid rows'), make('ul', {}, lines), rest)
}

function consent(label: string, ask: string) {
  const control = make('input', { type: 'checkbox' })
  const problem = problemLine()
  return {
    element: make('div', { class: 'apart' }, choice(control, make('span', {}, label)), problem),
    isGiven() {
      problem.showProblem(control.checked ? '' : ask)
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
      problem.showProblem(isOpen ? 'Choose one of them.' : '')
      if (isOpen) radios[0]?.control.focus()
      return !isOpen
    },
  }
}

/** Who rows are that look like animals here: these, new ones, or one by one; of some it is not clear which. */
function alikeChoice({ alike: { rows, first }, unclear, unclearRows }: SyncPreview) {
  const all = rows + unclear
  const isFew = first.length === rows && rows > 1
  const boxes = first.map((one) => {
    const box = make('input', { type: 'checkbox', value: one.reference, hidden: !isFew })
    box.addEventListener('change', () => radioGroup.choose('some'))
    const label = choice(box, make('span', {}, nameIn(one.name, one.reference)))
    return { box, element: make('li', {}, label, make('span', { class: 'few' }, candidateOf(one))) }
  })
  const others = unclearRows.map(({ reference, name, animals }) => {
    const some = animals.slice(0, MAX_NAMES).map((one) => make('p', {}, candidateOf(one)))
    const fits = animals.length === 1 ? 'and another row fit the same animal' : 'could be several animals'
    const words = make('span', {}, `${nameIn(name, reference)}, ${fits}`)
    return make('li', {}, words, make('div', {}, some, restOf(animals.length - MAX_NAMES)))
  })
  const title = `${count(all, 'new row')} ${all === 1 ? 'looks like an animal' : 'look like animals'} here, by name and category`
  const clear = unclear === 0 ? '' : ' where it is clear which'
  const answers: [boolean | 'some', string][] = [
    [true, rows === 1 && unclear === 0 ? 'It is this animal' : `They are these animals${clear}`],
    [false, all === 1 ? 'It is new' : 'They are new'],
    ['some', 'Only the selected ones are'],
  ]
  const offered = answers.filter(([answer]) => (answer === true ? rows > 0 : answer === false || isFew))
  const radioGroup = question(title, offered, make('ul', { class: 'most' }, boxes, others))
  const read = (): ImportRequest['adopts'] => {
    const answer = radioGroup.read()
    return answer === 'some' ? boxes.flatMap(({ box }) => (box.checked ? [box.value] : [])) : answer
  }
  return { ...radioGroup, read }
}

function duplicatesChoice(duplicates: number) {
  const [verb, them] = duplicates === 1 ? ['looks', 'it'] : ['look', 'them']
  const words = `${count(duplicates, 'animal')} ${verb} like those already here`
  const hint = `To update ${them} instead, choose the column ${quoted('Reference')} above.`
  const answers = [
    ['leave out', `Skip ${them}`],
    ['add', `Add ${them} too`],
  ] as const
  return question<ImportRequest['duplicates']>(words, answers, quiet(hint))
}
