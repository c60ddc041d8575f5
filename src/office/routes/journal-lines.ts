/** A journal entry as the office shows it: its values as text, by member. */
import type { JournalEntry } from '../../store/records.ts'
import type { JournalLine } from '../office-data.ts'
import { brief } from './animals.ts'

export function toJournalLine(entry: JournalEntry): JournalLine {
  const { n, atMs, who, act, petId = null, keyId = null, from, to } = entry
  return { n: n.toString(), atMs, who, act, petId, keyId, from: toTexts(from), to: toTexts(to) }
}

/** A JSON object's members as text. A number keeps its digits, since it may be an int64. */
function toTexts(json: string | undefined): Readonly<Record<string, string | null>> {
  if (json === undefined) return {}
  const values: unknown = JSON.parse(json, (_name, value: unknown, context: { readonly source?: string }) =>
    typeof value === 'number' ? context.source : value,
  )
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(
    Object.entries(values).map(([member, value]) => {
      const text = toText(value)
      return [member, member === 'name' && text !== null ? brief(text) : text]
    }),
  )
}

function toText(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return JSON.stringify(value)
}
