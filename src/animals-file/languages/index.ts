/** The tables of languages, each as what language.ts describes. To add a language, add its table to tables.ts. */
import type { Language } from './language.ts'
import { TABLES } from './tables.ts'

export const LANGUAGES: readonly Language[] = TABLES.map((table) => {
  const lines = table.split('\n').map((line) => /^\s*([=~.]?) ?(.*?): (.*)$/.exec(line) ?? [])
  const of = (mark: string) =>
    Object.fromEntries(lines.flatMap(([, own, key = '', words = '']) => (own === mark ? [[key, words]] : [])))
  return { headings: of(''), statuses: of('='), breeds: of('~'), ...of('.') }
})
