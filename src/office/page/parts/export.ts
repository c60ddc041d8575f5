/** The kinds of files that animals are exported to, as buttons which download them. */
import { get } from './api.ts'
import { button, make } from './elements.ts'
import { toast } from './toast.ts'
import { sentenceOf } from './words.ts'

const EXPORTS = [
  { format: { format: 'csv' }, title: 'CSV', hint: 'Can be imported again as it is.' },
  {
    format: { format: 'csv', for: 'spreadsheet' },
    title: 'CSV for spreadsheets',
    hint: 'Safe to open in Excel or LibreOffice.',
  },
  { format: { format: 'ndjson' }, title: 'NDJSON', hint: 'One animal a line, for programs.' },
]

/** `question` says which animals; without members, all. `onDone` is called when a download has begun. */
export function exportButtons(question: Readonly<Record<string, string>>, onDone: () => void = () => {}) {
  const items = EXPORTS.map(({ format, title, hint }) => {
    const begin = async () => {
      if (await download({ ...format, ...question })) onDone()
    }
    return make(
      'li',
      {},
      button(title, () => void begin(), { class: 'plain' }),
      make('span', { class: 'quiet' }, hint),
    )
  })
  return make('ul', { class: 'exports' }, ...items)
}

async function download(query: Record<string, string>) {
  try {
    // A download cannot prompt to sign in; this call does.
    await get('api/session')
    make('a', { href: `api/export?${new URLSearchParams(query)}`, download: '' }).click()
    return true
  } catch (error) {
    toast(`Nothing was exported. ${sentenceOf(error)}`, { isProblem: true })
    return false
  }
}
