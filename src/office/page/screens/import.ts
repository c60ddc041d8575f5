/** Importing a file of animals in two steps, a dry run and the import, and exporting all animals. */

import type { ImportRequest, ImportResult, Session, Upload } from '../../office-data.ts'
import { CallFailed, get, send, upload } from '../parts/api.ts'
import { categoryWord, loadCategories } from '../parts/categories.ts'
import { announce, button, field, make, onSubmit, typed } from '../parts/elements.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { toast } from '../parts/toast.ts'
import { count, quoted, sentenceOf, statusWord } from '../parts/words.ts'
import { importsList } from './imports-list.ts'

/** The service accepts no larger upload. */
const MAX_BYTES = 64 << 20
const TOO_LARGE = 'The file is larger than 64 MB. Divide it, or import it with the command “pets import”.'

const EXPORTS = [
  { format: 'csv', title: 'CSV', hint: 'Can be imported again as it is.' },
  { format: 'csv&for=spreadsheet', title: 'CSV for spreadsheets', hint: 'Safe to open in Excel or LibreOffice.' },
  { format: 'ndjson', title: 'NDJSON', hint: 'One animal a line, for programs.' },
]

export function showImport(container: HTMLElement, _session: Session, _parameters: Parameters): Shown {
  const imports = importsList()
  const screen = new Import(
    () => void imports.load(),
    (n) => void imports.undo(n),
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

  constructor(onDone: () => void, onUndo: (n: string) => void) {
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
      // Files from the same system usually come together, so apply the mapping of the last one.
      this.#show(this.#mapping === '' ? found : await this.#translate(found.id, this.#mapping))
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
    else parts.push(make('p', { class: 'quiet typed', dir: 'auto' }, found.understood), factsOf(found))
    if (found.problems.length > 0) parts.push(problemsOf(found))
    if (found.preview.length > 0) parts.push(previewOf(found))
    parts.push(this.#mappingForm())
    if (found.unreadable === null) parts.push(this.#importForm(found))
    this.#found.replaceChildren(...parts)
    announce(found.unreadable ?? `${count(found.animals, 'animal')} found.`)
  }

  #mappingForm() {
    const hint = 'Where columns or values have other names: name=Animal Name, status:adopted=sold'
    const mapping = field(
      'Translate',
      make('input', { autocomplete: 'off', spellcheck: false, value: this.#mapping }),
      hint,
    )
    const again = make('button', { type: 'submit', class: 'plain' }, 'Read again')
    const form = make('form', { class: 'mapping' }, mapping.element, again)
    onSubmit(form, async () => {
      const id = this.#upload?.id
      if (id === undefined) return
      await this.#work('Reading again …', async () => {
        try {
          const found = await this.#translate(id, mapping.control.value)
          this.#mapping = mapping.control.value
          this.#show(found)
        } catch (error) {
          if (!(error instanceof CallFailed) || error.code !== 'invalid') throw error
          this.#found.inert = false
          mapping.mark(error.message)
        }
      })
    })
    return form
  }

  /** The mapping applied to each file. */
  #mapping = ''

  #translate(id: string, mapping: string): Promise<Upload> {
    return send('POST', `api/uploads/${id}`, { mapping }, { isSlow: true })
  }

  #importForm({ id, animals, badRows, duplicates }: Upload) {
    const form = make('form')
    const skip = choice(`Leave the ${count(badRows, 'bad row')} out`)
    const repeat = choice(
      `Import the ${count(duplicates, 'animal')} that ${duplicates === 1 ? 'looks' : 'look'} like those already here, too`,
    )
    if (badRows > 0) form.append(skip.element)
    if (duplicates > 0) form.append(repeat.element)
    if (animals > 0)
      form.append(
        make('div', { class: 'actions' }, make('button', { type: 'submit' }, `Import ${count(animals, 'animal')}`)),
      )
    onSubmit(form, async () => {
      skip.mark(
        badRows > 0 && !skip.control.checked ? 'Tick this, or correct the rows in the file and choose it again.' : '',
      )
      if (badRows > 0 && !skip.control.checked) return
      repeat.mark(
        duplicates > 0 && !repeat.control.checked ? 'Tick this, or take them out of the file and choose it again.' : '',
      )
      if (duplicates > 0 && !repeat.control.checked) return
      await this.#import({ upload: id, skipInvalid: skip.control.checked, allowDuplicates: repeat.control.checked })
    })
    return form
  }

  #import(asked: ImportRequest) {
    return this.#work('Importing …', async () => {
      try {
        const { n, animals, skipped }: ImportResult = await send('POST', 'api/imports', asked, { isSlow: true })
        const rest = skipped === 0 ? '' : `, ${count(skipped, 'row')} left out`
        const sentence = `${count(animals, 'animal')} imported${rest}.`
        this.#found.replaceChildren(
          make('p', { class: 'good' }, sentence, ' ', make('a', { href: '#animals' }, 'See them')),
        )
        toast(sentence, { undo: () => this.#onUndo(n) })
      } catch (error) {
        if (!(error instanceof CallFailed) || !error.isUnsure) throw error
        throw new CallFailed('No answer came. Look at the imports below before you import the file again.', {})
      } finally {
        this.#onDone()
      }
    })
  }
}

function factsOf({ animals, badRows, duplicates }: Upload) {
  const facts = [count(animals, 'animal'), count(badRows, 'bad row'), count(duplicates, 'duplicate')]
  return make('ul', { class: 'found' }, ...facts.map((fact) => make('li', {}, fact)))
}

function problemsOf({ problems, badRows }: Upload) {
  const lines = problems.map(({ line, text }) =>
    make('li', {}, make('strong', { class: 'number' }, `Line ${line}`), ' ', typed(text)),
  )
  const rest = badRows - problems.length
  const more = rest > 0 ? make('p', { class: 'quiet' }, `and ${count(rest, 'more', 'more')}`) : undefined
  return make('div', { class: 'problems' }, make('h3', {}, 'Bad rows'), make('ul', {}, ...lines), more)
}

function previewOf({ preview }: Upload) {
  const shown: ReturnType<typeof table<Upload['preview'][number]>> = table(
    'The first animals of the file',
    [
      { title: 'Name', cell: ({ name }) => typed(name) },
      { title: 'Category', cell: ({ categoryId }) => typed(categoryWord(categoryId)) },
      {
        title: 'Status',
        cell: ({ status }) => make('span', { class: `badge ${status ?? 'none'}` }, statusWord(status)),
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

function exportCard() {
  const items = EXPORTS.map(({ format, title, hint }) =>
    make(
      'li',
      {},
      button(title, () => void download(format), { class: 'plain' }),
      make('span', { class: 'quiet' }, hint),
    ),
  )
  return make(
    'section',
    { class: 'card export' },
    make('h2', {}, 'Export'),
    make('p', { class: 'quiet' }, 'All animals, as a file.'),
    make('ul', {}, ...items),
  )
}

async function download(format: string) {
  try {
    // A download cannot prompt to sign in; this call does.
    await get('api/session')
    make('a', { href: `api/export?format=${format}`, download: '' }).click()
  } catch (error) {
    toast(`Nothing was exported. ${sentenceOf(error)}`, { isProblem: true })
  }
}
