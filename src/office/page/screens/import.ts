/** Importing a file of animals in two steps, a dry run and the import; exporting all; and the imports so far. */
import { READ_ENDINGS, READ_FORMATS_TEXT } from '../../../animals-file/formats.ts'
import { changesText, importedText, undoneText } from '../../../domain/file-outcome.ts'
import { TOO_LARGE, UPLOAD_BYTES } from '../../../rules/imports.ts'
import type { ImportRequest, ImportResult, ImportSummary, UndoPreview, Upload } from '../../office-data.ts'
import { CallFailed, get, send, upload } from '../parts/api.ts'
import { loadCategories, showNewCategories } from '../parts/categories.ts'
import { confirm } from '../parts/dialog.ts'
import { announce, card, make, quiet, refill, refocus, titled, typed } from '../parts/elements.ts'
import { attempt, problemLine } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { load } from '../parts/load.ts'
import { screenSignal } from '../parts/screen.ts'
import { table, undoCell } from '../parts/table.ts'
import { attemptOrToast, toast } from '../parts/toasts.ts'
import { count, dayInFull, figure, moment, quoted, sentenceOf, shorten } from '../parts/words.ts'
import { MappingForm } from './import-mapping.ts'
import { changesOf, problemsOf, verdictForm, words } from './import-preview.ts'
import { exportButton } from './print-export.ts'

export function showImport() {
  const exporting = card('Export', quiet('All animals, for Excel or LibreOffice.'), exportButton({}))
  exporting.classList.add('export')
  const columns = make('div', { class: 'columns' }, new Import(), exporting)
  screenSignal().addEventListener('abort', () => showNewCategories([]))
  return [titled('Import and export'), columns, card('Imports so far', importsList())]
}

class Import {
  #isBusy = false
  #upload: Upload | undefined
  #names = loadCategories()

  #mapping = new MappingForm((mapping, about) => void this.#readAgain(mapping, about))
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
      `A list with a header row, as ${READ_FORMATS_TEXT}, with name, category and status. You see how it is read before anything is imported.`,
    ),
    [this.#drop, this.#progress, this.#state, this.#problem, this.#result],
  )

  constructor() {
    this.#file.addEventListener('change', () => {
      const [file] = this.#file.files ?? []
      if (file !== undefined) void this.#send(file)
    })
    for (const event of ['dragover', 'dragleave', 'drop'])
      this.#drop.addEventListener(event, (moved) => this.#onDrag(event, moved as DragEvent))
    void this.#showAgain()
  }

  #onDrag(kind: string, event: DragEvent) {
    event.preventDefault()
    this.#drop.classList.toggle('over', kind === 'dragover')
    const file = event.dataTransfer?.files[0]
    if (kind === 'drop' && file !== undefined) void this.#send(file)
  }

  async #showAgain() {
    const [upload] = await Promise.all([get('/api/uploads').catch(() => null), this.#names])
    if (upload !== null && !this.#isBusy && this.#upload === undefined) this.#show(upload)
  }

  #send(file: File) {
    return this.#work(`Reading ${quoted(file.name, 60, '')} …`, async () => {
      this.#result.replaceChildren()
      if (file.size > UPLOAD_BYTES) throw new CallFailed(TOO_LARGE, { code: 'invalid' })
      const answer = await upload('POST /api/uploads', file).catch((error: unknown) => {
        throw error instanceof CallFailed && error.code === 'unreachable' ? NOT_ARRIVED : error
      })
      await this.#names
      this.#show(answer)
    }).finally(() => {
      // Choosing the same file again, once corrected, must fire `change`.
      this.#file.value = ''
    })
  }

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

  #show(answer: Upload) {
    if (!this.element.isConnected) return
    this.#upload = answer
    const { id, file, found, unreadable, confirmed } = answer
    showNewCategories(found?.newCategories ?? [])
    const { questions, rest } = this.#mapping.show(answer)
    const isOpen = confirmed === null && answer.lines.length > 0
    const title = make('summary', {}, 'How the file is read')
    const mapping = make('details', { class: 'mapping', open: isOpen }, title, rest)
    const known =
      confirmed !== null && quiet(`Read as ${quoted(confirmed.who, 60, '')} confirmed on ${dayInFull(confirmed.atMs)}.`)
    const verdict = found !== undefined && [
      questions === false &&
        verdictForm(
          id,
          found,
          (request) => this.#import(request),
          (missing) => this.#mapping.change('missing', missing),
        ),
      found.problems.length > 0 && problemsOf(found),
      found.changes.length > 0 && changesOf(found),
    ]
    refill(
      this.#result,
      make('h3', { class: 'typed', dir: 'auto' }, file),
      unreadable !== null && make('p', { class: 'problem' }, unreadable),
      known,
      questions,
      unreadable === null && mapping,
      verdict,
    )
    this.#result.toggleAttribute('data-review', found !== undefined)
    announce(unreadable ?? (questions === false ? 'The file was read.' : 'Some questions are open.'))
  }

  /** Reads the file again by another mapping; shows what it was if that fails. */
  async #readAgain(mapping: string, about: string) {
    const before = this.#upload
    if (before === undefined) return
    const read = async () => {
      try {
        this.#show(await send('POST /api/uploads/:id', { mapping }, { id: before.id }, { isSlow: true }))
      } catch (error) {
        this.#show(before)
        throw error
      }
    }
    await this.#work('Reading again …', read, () => this.#mapping.focus(about))
  }

  async #import(request: ImportRequest) {
    const focused = document.activeElement
    this.#setBusy('Importing …')
    try {
      const result = await send('POST /api/imports', request, {}, { isSlow: true })
      const { n, counts } = result
      this.#names = loadCategories()
      this.#upload = undefined
      const sentence = `${counts === null ? importedText(result, words()) : syncedText(counts, result.badRows)}.`
      const link = make('a', { href: n === null ? '#animals' : `#animals?import=${n}` }, 'See them')
      refill(this.#result, make('p', { class: 'good' }, sentence, ' ', link))
      this.#result.removeAttribute('data-review')
      toast(sentence, n === null ? {} : { undo: () => void undoImport(n), about: [`import ${n}`] })
    } catch (error) {
      if (!(error instanceof CallFailed) || !error.isUnsure) throw error
      throw new CallFailed('The service did not respond. Look at the imports below before you import the file again.')
    } finally {
      this.#setBusy('')
      if (document.activeElement === document.body) refocus(focused)
    }
  }
}

function syncedText(counts: NonNullable<ImportResult['counts']>, badRows: number) {
  const skipped = badRows === 0 ? '' : `, ${count(badRows, 'invalid row')} skipped`
  return `${changesText(counts, words()) || 'Nothing to change'}${skipped}`
}

const NOT_ARRIVED = new CallFailed('The file did not reach the service, and nothing was imported. Choose it again.')

function importsList() {
  const note = make('p', { class: 'quiet', role: 'status' })
  const undo = (one: ImportSummary) =>
    undoCell('Undo import', shorten(one.source, 60), one, () => askUndo(one.n, one.source))
  const importsTable = table<ImportSummary>('Imports', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'File', cell: ({ source }) => typed(source) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: 'Actions', isTitleUnseen: true, cell: undo, className: 'acts' },
  ])
  const notice = load({
    what: 'The list',
    get: () => get('/api/imports'),
    show(imports) {
      importsTable.show(imports)
      importsTable.element.hidden = imports.length === 0
      note.textContent = imports.length === 0 ? 'There are none yet.' : ''
    },
    follows: true,
  })
  return make('div', {}, note, notice, importsTable)
}

async function askUndo(n: string, source: string) {
  const facts = make('span', { role: 'status' }, '…')
  const kept = table<UndoPreview['changed'][number]>(
    'Animals that stay',
    [
      { title: 'Name', cell: ({ id, name }) => make('a', { href: `#animal/${id}` }, typed(name)) },
      { title: 'Number', cell: ({ id }) => id, className: 'number' },
    ],
    { isCompact: true },
  )
  kept.element.hidden = true
  get('/api/imports/:n/undo', { n }).then(
    (preview) => {
      const { changed } = preview
      const first = changed.length < preview.kept && changed.length > 0 ? ` The first ${changed.length}:` : ''
      refill(facts, `${undoneText(preview, words())}.${first}`)
      kept.show(changed)
      kept.element.hidden = changed.length === 0
    },
    (error: unknown) => refill(facts, sentenceOf(error)),
  )
  if (await confirm('Undo import', [`${quoted(source, 60, '')}: `, facts], { below: kept.element })) await undoImport(n)
}

function undoImport(n: string) {
  return attemptOrToast(
    `import ${n}`,
    async () => {
      const result = await send('POST /api/imports/:n/undo', {}, { n }, { isSlow: true })
      toast(`The import is undone: ${undoneText(result, words())}.`, { about: [`import ${n}`] })
    },
    'The import may still be here. ',
  )
}
