/** The office's route for the journal: who did what and when, newest first, by pages. */
import type { FastifyInstance } from 'fastify'
import type { JournalPage } from '../office-data.ts'
import { int64Of } from './animals.ts'
import { toJournalLine } from './journal-lines.ts'
import type { OfficeOptions } from './routes.ts'
import { FILTER } from './routes.ts'

export const LINES_PER_PAGE = 100
const QUERY = {
  type: 'object',
  properties: {
    petId: FILTER,
    keyId: FILTER,
    who: FILTER,
    since: { type: 'string', pattern: '^\\d{0,16}$' },
    before: FILTER,
  },
} as const

interface JournalQuery {
  readonly petId?: string
  readonly keyId?: string
  readonly who?: string
  /** Unix ms. */
  readonly since?: string
  readonly before?: string
}

export function addJournalRoutes(server: FastifyInstance, { store }: Pick<OfficeOptions, 'store'>): void {
  server.get<{ Querystring: JournalQuery }>(
    '/api/journal',
    { config: { role: 'operator' }, schema: { querystring: QUERY } },
    async ({ query }): Promise<JournalPage> => {
      const [petId, before] = [given(query.petId), given(query.before)]
      // One more than shown tells whether older ones follow.
      const found = await store.records.journal({
        petId: petId === undefined ? undefined : int64Of(petId, 'The number of the animal'),
        keyId: given(query.keyId),
        who: given(query.who),
        sinceMs: undefined,
        before: before === undefined ? undefined : int64Of(before, 'before'),
        isBrief: true,
        limit: LINES_PER_PAGE + 1,
      })
      // Filtered here: to fill a page, the store would read the whole journal.
      const sinceMs = Number(query.since ?? 0)
      const shown = found.slice(0, LINES_PER_PAGE)
      const goesOn = found.length > shown.length && (shown.at(-1)?.atMs ?? 0) >= sinceMs
      return {
        lines: shown.filter(({ atMs }) => atMs >= sinceMs).map(toJournalLine),
        older: goesOn ? (shown.at(-1)?.n.toString() ?? null) : null,
      }
    },
  )
}

/** An empty filter counts as absent. */
function given(text = ''): string | undefined {
  return text.trim() || undefined
}
