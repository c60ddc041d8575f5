/** Importing a file of animals in two steps, a dry run and the import; exporting all; and the imports so far. */
import { READ_ENDINGS, READ_FORMATS_TEXT } from '../../../animals-file/formats.ts'
import { changesText, importedText, undoneText } from '../../../domain/file-outcome.ts'
import { TOO_LARGE, UPLOAD_BYTES } from '../../../rules/imports.ts'
import type { ImportRequest, ImportSummary, Upload } from '../../office-data.ts'
import { CallFailed, get, send, upload } from '../parts/api.ts'
import { loadCategories, showNewCategories } from '../parts/categories.ts'
import { confirm } from '../parts/dialog.ts'
import { announce, card, make, quiet, refill, refocus, titled, typed } from '../parts/elements.ts'
import { attempt, problemLine } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { attemptOrToast, loading, toast } from '../parts/notices.ts'
import { screenSignal } from '../parts/screen.ts'
import { table, undoCell } from '../parts/table.ts'
import { count, figure, moment, quoted, sentenceOf, shorten, whoIs } from '../parts/words.ts'
import { Choices } from './import-mapping.ts'
import { changesOf, previewOf, problemsOf, verdictForm, words } from './import-preview.ts'
import { exportButton } from './print-export.ts'

export function showImport() {
  const imports = importsList()
  const exporting = card('Export', quiet('All animals, for Excel or LibreOffice.'), exportButton({}))
  exporting.classList.add('export')
  const columns = make('div', { class: 'columns' }, new Import(), exporting)
  imports.begin({ follows: true })
  screenSignal().addEventListener('abort', () => showNewCategories([]))
  return [titled('Import and export'), columns, card('Imports so far', imports)]
}

class Import {
  #isBusy = false
  #upload: Upload | undefined
  #names = loadCategories()

  #choices = new Choices((about, undo) => void this.#readAgain(about, undo))
  #file = make('input', { type: 'file', class: 'file', 'aria-label': 'File of animals', accept: READ_ENDINGS.join() })
  #drop = make(
    'label',
    { class: 'drop' },
    make('strong', {}, 'Drop a file here'),
    make('span', { class: 'link' }, 'or choose one'),
    this.#file,
  )
  #progress = make('progress', { 'aria-label': 'Progress', hidden: true })
  #state = make('p', { class: 'quiet', role: 'status' })
  #problem = problemLine()
  #result = make('div')
  element = make(
    'section',
    { class: 'card import' },
    make('h2', {}, 'Import'),
    quiet(
      `A list with a heading, as ${READ_FORMATS_TEXT}, with name, category and status. Nothing is imported until you have seen what is in it.`,
    ),
    [this.#drop, this.#progress, this.#state, this.#problem, this.#result],
  )

  constructor() {
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
    return this.#work(`Reading ${quoted(file.name, 60, '')} …`, async () => {
      this.#result.replaceChildren()
      if (file.size > UPLOAD_BYTES) throw new CallFailed(TOO_LARGE, { code: 'invalid' })
      const answer = await upload('POST /api/uploads', file)
      await this.#names
      // Files of one system usually come together, so the last choices apply again.
      this.#choices.keepFor(answer.found)
      this.#show(this.#choices.isAny ? await this.#translateAsBefore(answer.id) : answer)
    }).finally(() => {
      // Choosing the same file again, once corrected, must fire `change`.
      this.#file.value = ''
    })
  }

  /** Runs one thing at a time, with its progress and problem. Then the focus is put back, unless it is elsewhere. */
  async #work(what: string, work: () => Promise<void>, putBack: (focused: Element | null) => void = refocus) {
    if (this.#isBusy) return
    const focused = document.activeElement
    if (focused instanceof HTMLElement) focused.blur()
    this.#setBusy(what)
    await attempt(this.#problem, work).finally(() => {
      this.#setBusy('')
      if (document.activeElement === document.body) putBack(focused)
    })
  }

  /** Of a file that is read nothing can be chosen, nor another one: it would be ignored. */
  #setBusy(what: string) {
    this.#isBusy = what !== ''
    this.#progress.hidden = !this.#isBusy
    this.#state.textContent = what
    this.#drop.inert = this.#isBusy
    this.#result.inert = this.#isBusy
  }

  /** `isOpen`: the choices are unfolded. */
  #show(answer: Upload, isOpen = false) {
    // The screen may have been left meanwhile.
    if (!this.element.isConnected) return
    this.#upload = answer
    showNewCategories(answer.newCategories)
    const { unreadable, sync, understood, notes, problems, preview } = answer
    const isClear = unreadable === null && !isOpen && isUnderstood(answer)
    const paragraphs = [understood, ...notes].map((words) => make('p', { class: 'quiet typed', dir: 'auto' }, words))
    const mapping = make(
      'details',
      { class: 'mapping', open: !isClear },
      make('summary', {}, 'How the file is understood'),
      unreadable === null && paragraphs,
      this.#choices.show(answer),
    )
    refill(
      this.#result,
      make('h3', { class: 'typed', dir: 'auto' }, answer.file),
      unreadable === null
        ? verdictForm(answer, (request) => this.#import(request, answer.file))
        : make('p', { class: 'problem' }, unreadable),
      !isClear && mapping,
      problems.length > 0 && problemsOf(answer),
      sync !== null && sync.changes.length > 0 && changesOf(sync),
      sync === null && preview.length > 0 && previewOf(answer),
      isClear && mapping,
    )
    announce(unreadable ?? `${count(answer.animals, 'animal')} found.`)
  }

  /** Reads the file again with the current choices; reverts the last one if that fails. */
  async #readAgain(about: string, undo: () => void) {
    const before = this.#upload
    if (before === undefined) return
    const read = async () => {
      try {
        this.#show(await this.#translate(before.id), true)
      } catch (error) {
        undo()
        this.#show(before, true)
        throw error
      }
    }
    await this.#work('Reading again …', read, () => this.#choices.focus(about))
  }

  /** Choices that the service refuses must not be applied to every file. */
  async #translateAsBefore(id: string) {
    try {
      return await this.#translate(id)
    } catch (error) {
      if (error instanceof CallFailed && error.code === 'invalid') this.#choices.forget()
      throw error
    }
  }

  #translate(id: string): Promise<Upload> {
    const { sync, makesCategories: newCategories } = this.#choices
    const choices = { rules: this.#choices.rules, newCategories, ...(sync && { sync }) }
    return send('POST /api/uploads/:id', choices, { id }, { isSlow: true })
  }

  #import(request: ImportRequest, file: string) {
    return this.#work('Importing …', async () => {
      try {
        const result = await send('POST /api/imports', request, {}, { isSlow: true })
        const { n, counts } = result
        this.#names = loadCategories()
        const sentence = `${counts === null ? importedText(result, words()) : changesText(counts, words()) || 'Nothing to change'}.`
        const link = make('a', { href: n === null ? '#animals' : `#animals?import=${n}` }, 'See them')
        refill(this.#result, make('p', { class: 'good' }, sentence, ' ', link))
        toast(sentence, n === null ? {} : { undo: () => void askUndo(n, file), about: [`import ${n}`] })
      } catch (error) {
        if (!(error instanceof CallFailed) || !error.isUnsure) throw error
        throw new CallFailed('No answer came. Look at the imports below before you import the file again.')
      }
    })
  }
}

function isUnderstood({ found }: Upload) {
  if (found === null) return true
  const { columns, words } = found
  return columns.name !== null && columns.categoryId !== null && words.every(({ meaning }) => meaning !== null)
}

function importsList() {
  const note = make('p', { class: 'quiet', role: 'status' })
  const undo = (line: ImportSummary) =>
    undoCell('Undo import', shorten(line.source, 60), line, () => askUndo(line.n, line.source))
  const importsTable = table<ImportSummary>('Imports', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'File', cell: ({ source }) => typed(source) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: 'Actions', isTitleUnseen: true, cell: undo, className: 'acts' },
  ])
  const { element: notice, begin } = loading(
    'The list',
    () => get('/api/imports'),
    (imports) => {
      importsTable.show(imports)
      importsTable.element.hidden = imports.length === 0
      note.textContent = imports.length === 0 ? 'There are none yet.' : ''
    },
  )
  return { element: make('div', {}, note, notice, importsTable), begin }
}

/** Asks first: Ctrl+Z for something else must not take hundreds of animals out. What is undone is shown when it arrives. */
async function askUndo(n: string, source: string) {
  const facts = make('span', { role: 'status' }, '…')
  get('/api/imports/:n/undo', { n }).then(
    (preview) => {
      const names = preview.changed.map(whoIs).join(', ')
      const more = preview.changed.length < preview.kept ? ' …' : ''
      refill(facts, `${undoneText(preview, words())}${names === '' ? '' : `: ${names}${more}`}.`)
    },
    (error: unknown) => refill(facts, sentenceOf(error)),
  )
  if (!(await confirm('Undo import', [`${quoted(source, 60, '')}: `, facts]))) return
  const work = async () => {
    const result = await send('POST /api/imports/:n/undo', {}, { n }, { isSlow: true })
    toast(`The import is undone: ${undoneText(result, words())}.`, { about: [`import ${n}`] })
  }
  await attemptOrToast(`import ${n}`, work, 'The import may still be here. ')
}
