/** The office's route for the journal: who did what and when, newest first, by pages. */
import type { FastifyInstance } from 'fastify'
import { parseInt64 } from '../../contract/int64.ts'
import type { JournalPage } from '../office-data.ts'
import { toJournalLine } from './journal-lines.ts'
import { type OfficeOptions, OfficeRefusal } from './routes.ts'

export const LINES_PER_PAGE = 100
const LONGEST_TEXT = 400
const TIME = /^\d{1,16}$/
const FILTERS = ['petId', 'keyId', 'who', 'since', 'before'] as const

export function addJournalRoutes(server: FastifyInstance, { store }: Pick<OfficeOptions, 'store'>): void {
  server.get<{ Querystring: Readonly<Record<string, unknown>> }>(
    '/api/journal',
    { config: { role: 'operator' } },
    async (request): Promise<JournalPage> => {
      const { petId, keyId, who, since, before } = filtersOf(request.query)
      if (since !== undefined && !TIME.test(since)) throw invalid('since is a time in Unix ms.')
      // One more than is shown tells whether there are older ones.
      const found = await store.records.journal({
        petId: petId === undefined ? undefined : wholeNumber('petId', petId),
        keyId,
        who,
        sinceMs: undefined,
        before: before === undefined ? undefined : wholeNumber('before', before),
        limit: LINES_PER_PAGE + 1,
      })
      // Not left to the store: it would read the whole journal for a page that the entries since then do not fill.
      const sinceMs = Number(since ?? 0)
      const shown = found.slice(0, LINES_PER_PAGE)
      const goesOn = found.length > shown.length && (shown.at(-1)?.atMs ?? 0) >= sinceMs
      return {
        lines: shown.filter(({ atMs }) => atMs >= sinceMs).map(toJournalLine),
        older: goesOn ? (shown.at(-1)?.n.toString() ?? null) : null,
      }
    },
  )
}

/** Those that are given; an empty one is none. Throws OfficeRefusal. */
function filtersOf(query: Readonly<Record<string, unknown>>): Partial<Record<(typeof FILTERS)[number], string>> {
  const given = FILTERS.flatMap((name): (readonly [string, string])[] => {
    const value = query[name] ?? ''
    if (typeof value !== 'string' || value.length > LONGEST_TEXT || value.includes('\0'))
      throw invalid(`${name} is given once, as a short text.`)
    return value.trim() === '' ? [] : [[name, value.trim()]]
  })
  return Object.fromEntries(given)
}

function wholeNumber(name: string, text: string): bigint {
  const value = parseInt64(text)
  if (value === undefined) throw invalid(`${name} is a whole number of 64 bits.`)
  return value
}

function invalid(message: string): OfficeRefusal {
  return new OfficeRefusal(400, 'invalid', message)
}
