/** The imports so far, each of which can be undone. */
import { get, send } from './api.js'
import { confirm } from './dialog.js'
import { button, make, typed } from './elements.js'
import { authorWord } from './history.js'
import { table } from './table.js'
import { toast } from './toast.js'
import { count, figure, moment, sentenceOf, shorten } from './words.js'

/** @import { ImportSummary } from '../office-data.ts' */

export function importsList() {
  const note = make('p', { class: 'quiet', role: 'status' })
  /** @type {ReturnType<typeof table<ImportSummary>>} */
  const shown = table('Imports', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'File', cell: ({ source }) => typed(source) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: '', cell: (line) => undoCell(line), className: 'acts' },
  ])
  const element = make('div', {}, note, shown.element)

  const load = async () => {
    try {
      /** @type {readonly ImportSummary[]} */
      const imports = await get('api/imports')
      shown.show(imports)
      shown.element.hidden = imports.length === 0
      note.textContent = imports.length === 0 ? 'There are none yet.' : ''
    } catch (error) {
      note.replaceChildren(
        `The list could not be loaded anew. ${sentenceOf(error)} `,
        button('Try again', () => void load(), { class: 'plain' }),
      )
    }
  }

  /** @param {string} n */
  const undo = async (n) => {
    try {
      /** @type {{ removed: number, kept: number }} */
      const { removed, kept } = await send('POST', `api/imports/${n}/undo`, {}, { isSlow: true })
      const rest = kept === 0 ? '' : ` ${count(kept, 'animal')} stayed, changed since.`
      toast(`The import is undone: ${count(removed, 'animal')} removed.${rest}`)
    } catch (error) {
      toast(`The import may still be here. ${sentenceOf(error)}`, { isProblem: true })
    }
    await load()
  }

  /** @param {ImportSummary} line */
  const undoCell = (line) => {
    if (line.undoneAtMs !== null) return make('span', { class: 'quiet' }, `undone ${moment(line.undoneAtMs)}`)
    const ask = async () => {
      const text = 'Its animals are removed, but for those that somebody has changed since.'
      if (await confirm(`Undo the import of ${shorten(line.source, 60)}?`, text, 'Undo the import')) await undo(line.n)
    }
    return button('Undo …', () => void ask(), {
      class: 'plain',
      'aria-label': `Undo the import of ${shorten(line.source, 60)}, ${moment(line.atMs)}`,
    })
  }

  return { element, load, undo }
}
