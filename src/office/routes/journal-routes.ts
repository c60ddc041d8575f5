/** The journal by pages, and the report of a month. Only operators see more than acts on animals. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseInt64 } from '../../contract/int64.ts'
import { MONTH_RULE, monthOf, readReport, toCsv } from '../../domain/report.ts'
import { brief } from '../../rules/bounds.ts'
import { ACTS_OF, JOURNAL_KINDS, type JournalAct, type JournalKind, OF_ANIMALS } from '../../rules/journal.ts'
import { hasRole, type Role } from '../../rules/roles.ts'
import { ungrouped } from '../../rules/search.ts'
import type { JournalEntry } from '../../store/journal.ts'
import type { AnimalRecords, JournalQuery } from '../../store/records.ts'
import type { JournalLine, QueryOf } from '../office-data.ts'
import { int64Of, roleOf } from './animals.ts'
import { invalid, OfficeRefusal } from './refusals.ts'
import { addRoute, type OfficeOptions, toSent } from './routes.ts'

export const LINES_PER_PAGE = 100
/** If more animals match a name, only the newest are searched for. */
const MAX_MATCHING = 50
/** Entries scanned by one query, which takes some ms: a filter might match few of them. */
const MAX_SCANNED = 5_000
/** A longer scan returns what it has found; `older` continues it. */
const MAX_SCAN_MS = 1_000

export function addJournalRoutes(server: FastifyInstance, { store, clock }: OfficeOptions): void {
  const { records } = store
  addRoute(server, 'GET /api/journal', async (request) => {
    const filled = Object.entries(request.query).map(([name, value]) => [name, value.trim()])
    const { kind, animal, keyId, partOf, who, since, before }: QueryOf<'GET /api/journal'> = Object.fromEntries(filled)
    const endMs = clock.monotonic() + MAX_SCAN_MS
    const criteria: JournalQuery = {
      ...(keyId && { keyId }),
      ...(partOf && { partOf: int64Of(partOf, 'partOf') }),
      ...(who && { who }),
      ...(since && { sinceMs: Number(since) }),
      ...(before && { before: int64Of(before, 'before') }),
      acts: actsOf(kind || undefined, roleOf(request)),
      isWhole: true,
      isBrief: true,
      limit: LINES_PER_PAGE + 1,
    }
    const petIds = animal && (await server.reads.run(request, () => idsOfAnimals(records, animal)))
    const query = { ...criteria, ...(petIds && { petIds }) }
    const { entries, older } = await scanJournal(records, () => clock.monotonic() < endMs, query)
    const ids = new Set(entries.flatMap(({ petId }) => petId ?? []))
    const names = new Map(
      [...(await records.names([...ids].map(BigInt)))].map(([id, name]) => [String(id), brief(name)]),
    )
    const acts = await records.partsOf(entries.flatMap(({ petId, keyId, n }) => ((petId ?? keyId) ? [] : [n])))
    return {
      lines: entries.map((entry) => ({
        ...toJournalLine(entry),
        parts: acts.get(entry.n),
        isUndone: entry.undoneBy !== undefined,
        animalName: names.get(entry.petId ?? ''),
      })),
      older: older?.toString() ?? null,
    }
  })
}

/** The animals with this number or these words in their names, including removed ones. */
async function idsOfAnimals(records: AnimalRecords, text: string): Promise<readonly bigint[]> {
  const number = parseInt64(ungrouped(text))
  if (number !== undefined) return [number]
  const criteria = { text, order: 'match', isBrief: true, limit: MAX_MATCHING } as const
  const [present, removed] = await Promise.all([
    records.find({ ...criteria, status: undefined }),
    records.find({ ...criteria, status: 'removed' }),
  ])
  return [...present, ...removed].map(({ id }) => BigInt(id))
}

function actsOf(kind: JournalKind | undefined, role: Role): readonly JournalAct[] {
  const visibleKinds = hasRole(role, 'operator') ? JOURNAL_KINDS : OF_ANIMALS
  if (kind !== undefined && !visibleKinds.includes(kind))
    throw new OfficeRefusal(403, 'forbidden', 'Your role may see only what was done to animals; ask an operator.')
  return (kind === undefined ? visibleKinds : [kind]).flatMap((one) => ACTS_OF[one])
}

/** Entries of one animal, key or act are few. Others are scanned in steps until time is up. */
async function scanJournal(
  records: AnimalRecords,
  hasTime: () => boolean,
  query: JournalQuery,
): Promise<{ readonly entries: readonly JournalEntry[]; readonly older?: bigint | undefined }> {
  const entries: JournalEntry[] = []
  const isOfOne = query.petIds !== undefined || query.keyId !== undefined || query.partOf !== undefined
  const [newest] = isOfOne ? [] : await records.journal({ limit: 1 })
  const end = newest === undefined ? 0n : newest.n + 1n
  // A cursor from outside might be far ahead of the newest entry, and each step costs.
  let before = isOfOne || (query.before !== undefined && query.before < end) ? query.before : end
  while (entries.length < query.limit) {
    const from = isOfOne || before === undefined || before <= BigInt(MAX_SCANNED) ? 0n : before - BigInt(MAX_SCANNED)
    entries.push(...(await records.journal({ ...query, before, from, limit: query.limit - entries.length })))
    if (from === 0n) break
    before = from
    if (entries.length < query.limit && !hasTime()) return { entries, older: before }
  }
  const page = entries.slice(0, LINES_PER_PAGE)
  return { entries: page, older: entries.length > page.length ? page.at(-1)?.n : undefined }
}

export function toJournalLine(entry: JournalEntry): JournalLine {
  const { n, atMs, who, act, petId, keyId, importN, from, to } = entry
  return { ...toSent({ n, atMs, who, act, petId, keyId, importN }), from: toTexts(from), to: toTexts(to) }
}

/** A JSON object's members as text. Numbers keep their digits, because they might be int64. */
function toTexts(json: string | undefined): Readonly<Record<string, string | null>> {
  if (json === undefined) return {}
  const values: unknown = JSON.parse(json, (_name, value: unknown, context: { readonly source?: string }) =>
    typeof value === 'number' ? context.source : value,
  )
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(
    Object.entries(values).map(([member, value]) => {
      const text = value === null || typeof value === 'string' ? value : JSON.stringify(value)
      return [member, member === 'name' && text !== null ? brief(text) : text]
    }),
  )
}

export function addReportRoutes(server: FastifyInstance, { store, clock }: OfficeOptions): void {
  const read = (request: FastifyRequest, month = '') => {
    const selected = monthOf(month)
    if (month !== '' && selected === undefined) throw invalid(MONTH_RULE)
    return server.reads.run(request, () => readReport(store, selected, clock.now()))
  }
  addRoute(server, 'GET /api/report', (request) => read(request, request.query.month))
  addRoute(server, 'GET /api/report.csv', async (request, reply) => {
    const report = await read(request, request.query.month)
    const csv = toCsv(report, await store.categories.names())
    reply.header('Content-Disposition', `attachment; filename="report-${report.months[0]}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(csv)
  })
}
