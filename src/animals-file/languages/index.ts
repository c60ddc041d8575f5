/** The tables of languages, each as what language.ts describes. To add a language, add its table to tables.ts. */
import type { Language } from './language.ts'
import { TABLES } from './tables.ts'

export const LANGUAGES: readonly Language[] = TABLES.map((table) => {
  const entries = table.split('\n').flatMap(toEntry)
  const of = (mark: string) =>
    Object.fromEntries(entries.flatMap((entry) => (entry.mark === mark ? [[entry.key, entry.words]] : [])))
  return { headings: of(''), statuses: of('='), breeds: of('~'), ...of('.') }
})

/** A line is a mark or none, a key, a colon and words. */
function toEntry(line: string) {
  const [start = '', ...rest] = line.trim().split(': ')
  const mark = ['=', '~', '.'].find((each) => start.startsWith(each)) ?? ''
  return rest.length === 0 ? [] : [{ mark, key: start.slice(mark.length).trim(), words: rest.join(': ') }]
}
