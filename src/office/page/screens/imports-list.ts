/** The past imports, each of which can be undone. */

import type { ImportSummary } from '../../office-data.ts'
import { get, send } from '../parts/api.ts'
import { confirm } from '../parts/dialog.ts'
import { button, make, typed } from '../parts/elements.ts'
import { authorWord } from '../parts/history.ts'
import { toast, troubleNotice } from '../parts/notices.ts'
import { table } from '../parts/table.ts'
import { count, figure, moment, quoted, sentenceOf, shorten } from '../parts/words.ts'

interface Undone {
  readonly removed: number
  /** Of a sync. */
  readonly putBack?: number
  readonly kept: number
}

export function importsList() {
  const note = make('p', { class: 'quiet', role: 'status' })
  const shown: ReturnType<typeof table<ImportSummary>> = table('Imports', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'File', cell: ({ source }) => typed(source) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: 'Actions', isTitleUnseen: true, cell: (line) => undoCell(line), className: 'acts' },
  ])
  const trouble = troubleNotice()
  const element = make('div', {}, note, trouble.element, shown.element)

  const load = async () => {
    try {
      const imports: readonly ImportSummary[] = await get('api/imports')
      shown.show(imports)
      shown.element.hidden = imports.length === 0
      trouble.hide()
      note.textContent = imports.length === 0 ? 'There are none yet.' : ''
    } catch (error) {
      trouble.show(`The list could not be loaded anew. ${sentenceOf(error)}`, () => void load())
    }
  }

  const undo = async (n: string) => {
    try {
      const undone: Undone = await send('POST', `api/imports/${n}/undo`, {}, { isSlow: true })
      const { removed, putBack = 0, kept } = undone
      const rest = kept === 0 ? '' : ` ${count(kept, 'animal')} stayed, changed since.`
      const back = putBack === 0 ? '' : `, ${putBack} put back as before`
      toast(`The import is undone: ${count(removed, 'animal')} removed${back}.${rest}`, { about: `import ${n}` })
    } catch (error) {
      toast(`The import may still be here. ${sentenceOf(error)}`, { isProblem: true })
    }
    await load()
  }

  /** Asks first: Ctrl+Z for something else must not take hundreds of animals out. */
  const askUndo = async (n: string, source: string) => {
    const text = `${quoted(source, 60, '')}: what it added is removed and what it changed is as before, but for animals that somebody has changed since.`
    if (await confirm('Undo import', text)) await undo(n)
  }

  const undoCell = (line: ImportSummary) => {
    if (line.undoneAtMs !== null) return make('span', { class: 'quiet' }, `undone ${moment(line.undoneAtMs)}`)
    return button('Undo import', () => void askUndo(line.n, line.source), {
      class: 'plain',
      'aria-label': `Undo import of ${shorten(line.source, 60)}, ${moment(line.atMs)}`,
    })
  }

  return { element, load, askUndo }
}
