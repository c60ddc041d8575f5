/** Importing a file of animals in two steps, a dry run and the import, and exporting all animals. */

import type { ImportRequest, ImportResult, Session, Upload } from '../../office-data.ts'
import { CallFailed, send, upload } from '../parts/api.ts'
import { categoryWord, loadCategories } from '../parts/categories.ts'
import { announce, make, onSubmit, typed } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { count, quoted, sentenceOf, statusWord } from '../parts/words.ts'
import { Choices } from './import-choices.ts'
import { agreeWords, canUpdate, updateParts, updateWords } from './import-update.ts'
import { importsList } from './imports-list.ts'
import { exportButtons } from './paper.ts'

/** The service accepts no larger upload. */
const MAX_BYTES = 64 << 20
const TOO_LARGE = 'The file is larger than 64 MB. Divide it, or import it with the command “pets import”.'

export function showImport(container: HTMLElement, _session: Session, _parameters: Parameters): Shown {
  const imports = importsList()
  const screen = new Import(
    () => void imports.load(),
    (n, file) => void imports.askUndo(n, file),
  )
  const done = make('section', { class: 'card' }, make('h2', {}, 'Imports so far'), imports.element)
  container.append(
    make('div', { class: 'heading' }, make('h1', {}, 'Import and export')),
    make('div', { class: 'columns' }, screen.element, exportCard()),
    done,
  )
  void loadCategories()
  void imports.load()
  return { end() {}, unsaved: () => (screen.isBusy ? 'A file is on its way.' : '') }
}

class Import {
  #onDone
  #onUndo
  isBusy = false
  /** The upload and what its dry run found. */
  #upload: Upload | undefined

  #choices = new Choices((about, undo) => void this.#readAgain(about, undo))
  #file = make('input', {
    type: 'file',
    class: 'file',
    'aria-label': 'File of animals',
    accept: '.csv,.tsv,.txt,.json,.ndjson,.jsonl',
  })
  #drop = make(
    'label',
    { class: 'drop' },
    make('strong', {}, 'Drop a file here'),
    make('span', { class: 'link' }, 'or choose one'),
    this.#file,
  )
  #progress = make('progress', { max: 1, 'aria-label': 'Progress' })
  #state = make('p', { class: 'quiet', role: 'status' })
  #problem = make('p', { class: 'problem', role: 'alert' })
  #found = make('div')
  element = make('section', { class: 'card import' }, make('h2', {}, 'Import'))

  constructor(onDone: () => void, onUndo: (n: string, file: string) => void) {
    this.#onDone = onDone
    this.#onUndo = onUndo
    const hint =
      'CSV with a heading, or NDJSON, with name, category and status. Nothing is imported until you have seen what is in it.'
    this.#progress.hidden = true
    this.element.append(
      make('p', { class: 'quiet' }, hint),
      this.#drop,
      this.#progress,
      this.#state,
      this.#problem,
      this.#found,
    )
    this.#file.addEventListener('change', () => {
      const [file] = this.#file.files ?? []
      if (file !== undefined) void this.#send(file)
    })
    for (const event of ['dragover', 'dragleave', 'drop']) {
      this.#drop.addEventListener(event, (moved) => this.#onDrag(event, moved as DragEvent))
    }
  }

  #onDrag(kind: string, event: DragEvent) {
    event.preventDefault()
    this.#drop.classList.toggle('over', kind === 'dragover')
    const file = event.dataTransfer?.files[0]
    if (kind === 'drop' && file !== undefined) void this.#send(file)
  }

  #send(file: File) {
    this.#found.replaceChildren()
    return this.#work(`Reading ${quoted(file.name, 60, '')} …`, async () => {
      if (file.size > MAX_BYTES) throw new CallFailed(TOO_LARGE, { code: 'invalid' })
      const found: Upload = await upload('api/uploads', file, (share) =>
        this.#progress.setAttribute('value', String(share)),
      )
      // Files from the same system usually come together, so what was chosen for the last one counts again.
      this.#choices.keepFor(found.found)
      this.#show(this.#choices.isAny ? await this.#translateAsBefore(found.id) : found)
    }).finally(() => {
      // Choosing the same file again, once corrected, must fire `change`.
      this.#file.value = ''
    })
  }

  /** Runs one thing at a time, with its progress and problem. */
  async #work(what: string, work: () => Promise<void>) {
    if (this.isBusy) return
    this.isBusy = true
    this.#problem.textContent = ''
    this.#progress.removeAttribute('value')
    this.#progress.hidden = false
    this.#state.textContent = what
    this.#found.inert = true
    try {
      await work()
    } catch (error) {
      this.#problem.textContent = sentenceOf(error)
    } finally {
      this.isBusy = false
      this.#progress.hidden = true
      this.#state.textContent = ''
      this.#found.inert = false
    }
  }

  #show(found: Upload) {
    this.#upload = found
    const parts: HTMLElement[] = [make('h3', { class: 'typed', dir: 'auto' }, found.file)]
    if (found.unreadable !== null) parts.push(make('p', { class: 'problem' }, found.unreadable))
    else
      parts.push(make('p', { class: 'quiet typed', dir: 'auto' }, found.understood), factsOf(found), ...notesOf(found))
    parts.push(...this.#choices.show(found))
    if (found.problems.length > 0) parts.push(problemsOf(found))
    if (found.preview.length > 0) parts.push(previewOf(found))
    if (found.unreadable === null) parts.push(found.update === null ? this.#importForm(found) : this.#updateForm(found))
    this.#found.replaceChildren(...parts)
    announce(found.unreadable ?? `${count(found.animals, 'animal')} found.`)
  }

  /** Reads the file as it is understood now; if that fails, as before. */
  async #readAgain(about: string, undo: () => void) {
    const before = this.#upload
    if (before === undefined) return
    await this.#work('Reading again …', async () => {
      try {
        this.#show(await this.#translate(before.id))
      } catch (error) {
        undo()
        this.#show(before)
        throw error
      }
    })
    this.#choices.focus(about)
  }

  /** Choices that the service takes no more must not stand before every file. */
  async #translateAsBefore(id: string) {
    try {
      return await this.#translate(id)
    } catch (error) {
      if (error instanceof CallFailed && error.code === 'invalid') this.#choices.forget()
      throw error
    }
  }

  #translate(id: string): Promise<Upload> {
    const { update } = this.#choices
    return send(
      'POST',
      `api/uploads/${id}`,
      { rules: this.#choices.rules, ...(update && { update }) },
      { isSlow: true },
    )
  }

  #importForm({ id, file, animals, badRows, duplicates }: Upload) {
    const form = make('form')
    const skip = choice(`Leave the ${count(badRows, 'bad row')} out`)
    const known = knownChoice(duplicates)
    const submit = make('button', { type: 'submit' }, `Import ${count(animals, 'animal')}`)
    known.element.addEventListener('change', () => {
      submit.textContent = `Import ${count(animals - (known.read() === 'leave out' ? duplicates : 0), 'animal')}`
    })
    if (badRows > 0) form.append(skip.element)
    if (duplicates > 0) form.append(known.element)
    if (animals > 0) form.append(make('div', { class: 'actions' }, submit))
    onSubmit(form, async () => {
      skip.mark(
        badRows > 0 && !skip.control.checked ? 'Tick this, or correct the rows in the file and choose it again.' : '',
      )
      if (badRows > 0 && !skip.control.checked) return
      const chosen = known.read()
      known.mark(duplicates > 0 && chosen === 'refuse' ? 'Choose one of them.' : '')
      if (duplicates > 0 && chosen === 'refuse') return
      await this.#import({ upload: id, skipInvalid: skip.control.checked, duplicates: chosen }, file)
    })
    return form
  }

  #updateForm(found: Upload) {
    const form = make('form', {}, ...updateParts(found))
    const words = agreeWords(found)
    const agree = choice(words ?? '')
    const isWanted = words !== undefined
    if (isWanted) form.append(agree.element)
    if (canUpdate(found)) form.append(make('div', { class: 'actions' }, make('button', { type: 'submit' }, 'Update')))
    onSubmit(form, async () => {
      const agrees = agree.control.checked
      agree.mark(isWanted && !agrees ? 'Tick this if it is right.' : '')
      if (isWanted && !agrees) return
      await this.#import({ upload: found.id, skipInvalid: false, duplicates: 'refuse', agrees }, found.file)
    })
    return form
  }

  #import(asked: ImportRequest, file: string) {
    return this.#work('Importing …', async () => {
      try {
        const { n, animals, updated, skipped, leftOut }: ImportResult = await send('POST', 'api/imports', asked, {
          isSlow: true,
        })
        const rest = skipped === 0 ? '' : `, ${count(skipped, 'row')} left out`
        const known = leftOut === 0 ? '' : `, ${count(leftOut, 'animal')} here already`
        const added = `${count(animals, 'animal')} imported${rest}${known}`
        const sentence = `${updated === null ? added : updateWords(updated) || 'Everything was so already'}.`
        this.#found.replaceChildren(
          make('p', { class: 'good' }, sentence, ' ', make('a', { href: '#animals' }, 'See them')),
        )
        toast(sentence, n === null ? {} : { undo: () => this.#onUndo(n, file), about: `import ${n}` })
      } catch (error) {
        if (!(error instanceof CallFailed) || !error.isUnsure) throw error
        throw new CallFailed('No answer came. Look at the imports below before you import the file again.', {})
      } finally {
        this.#onDone()
      }
    })
  }
}

function factsOf({ animals, badRows, duplicates, update }: Upload) {
  const known = update === null ? [count(duplicates, 'duplicate')] : []
  const facts = [count(animals, 'animal'), count(badRows, 'bad row'), ...known]
  return make('ul', { class: 'found' }, ...facts.map((fact) => make('li', {}, fact)))
}

function notesOf({ notes }: Upload) {
  return notes.map((note) => make('p', { class: 'quiet typed', dir: 'auto' }, note))
}

function problemsOf({ problems, badRows }: Upload) {
  const lines = problems.map(({ line, text }) =>
    make('li', {}, make('strong', { class: 'number' }, `Line ${line}`), ' ', typed(text)),
  )
  const rest = badRows - problems.length
  const more = rest > 0 ? make('p', { class: 'quiet' }, `and ${count(rest, 'more', 'more')}`) : undefined
  return make('div', { class: 'problems' }, make('h3', {}, 'Bad rows'), make('ul', {}, ...lines), more)
}

function previewOf({ preview, update, found }: Upload) {
  const isKept = update !== null && found?.columns.status === null
  const shown: ReturnType<typeof table<Upload['preview'][number]>> = table(
    'The first animals of the file',
    [
      { title: 'Name', cell: ({ name }) => typed(name) },
      { title: 'Category', cell: ({ categoryId }) => typed(categoryWord(categoryId)) },
      {
        title: 'Status',
        cell: ({ status }) =>
          isKept && status === null
            ? 'As it is'
            : make('span', { class: `badge ${status ?? 'none'}` }, statusWord(status)),
      },
    ],
    { isCompact: true },
  )
  shown.show(preview)
  return make('div', {}, make('h3', {}, preview.length < 10 ? 'The animals' : 'The first ten'), shown.element)
}

function choice(label: string) {
  const control = make('input', { type: 'checkbox' })
  const problem = make('p', { class: 'problem', role: 'alert' })
  const element = make('div', {}, make('label', { class: 'choice' }, control, make('span', {}, label)), problem)
  return {
    element,
    control,
    mark(sentence: string) {
      problem.textContent = sentence
      if (sentence !== '') control.focus()
    },
  }
}

/** What becomes of animals that look like some that are here; nothing is chosen at first. */
function knownChoice(duplicates: number) {
  const radio = () => make('input', { type: 'radio', name: 'known' })
  const [leaveOut, add] = [radio(), radio()]
  const problem = make('p', { class: 'problem', role: 'alert' })
  const words = `${count(duplicates, 'animal')} ${duplicates === 1 ? 'looks' : 'look'} like those already here`
  const element = make(
    'fieldset',
    { class: 'meanings' },
    make('legend', {}, words),
    make('label', { class: 'choice' }, leaveOut, make('span', {}, 'Leave them out')),
    make('label', { class: 'choice' }, add, make('span', {}, 'Import them too')),
    make(
      'p',
      { class: 'quiet' },
      'To update them instead, choose above, as “Reference”, the column that tells them apart.',
    ),
    problem,
  )
  return {
    element,
    read(): ImportRequest['duplicates'] {
      if (leaveOut.checked) return 'leave out'
      return add.checked ? 'add' : 'refuse'
    },
    mark(sentence: string) {
      problem.textContent = sentence
      if (sentence !== '') leaveOut.focus()
    },
  }
}

function exportCard() {
  return make(
    'section',
    { class: 'card export' },
    make('h2', {}, 'Export'),
    make('p', { class: 'quiet' }, 'All animals, as a file.'),
    exportButtons({}),
  )
}
