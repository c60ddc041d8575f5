/**
 * Downloads animals from one snapshot at the client's speed. A snapshot is expensive, so few run at a time, and a
 * client that stops reading is cut off. The journal entry is written before the first byte.
 */

import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AnimalsWriter } from '../../animals-file/write.ts'
import { type Clock, MINUTE_MS } from '../../common/clock.ts'
import { type AnimalFilter, isAll } from '../../rules/search.ts'
import type { AnimalRecords } from '../../store/records.ts'
import type { StoredAnimal } from '../../store/rows.ts'
import { toFilter } from './animals.ts'
import { OfficeRefusal } from './refusals.ts'
import { addRoute, assertSessionValid, authorOf, type OfficeOptions, sessionOf, whileAllowed } from './routes.ts'

/** Each needs a snapshot and, on PostgreSQL, a connection. */
const MAX_AT_ONCE = 2
/** The longest download, so that a slow client does not keep its place. */
const TOTAL_MS = 10 * MINUTE_MS
/** Animals read at a time: a name can have 64 KiB. */
const FOUND_TOGETHER = 200
/** A client that reads nothing for this long counts as gone. */
const TIMEOUT_MS = MINUTE_MS

const FORMAT = 'csv'

export function addExportRoutes(server: FastifyInstance, { store, clock, log }: OfficeOptions): void {
  const running = new Set<bigint>()
  addRoute(server, 'GET /api/export', { exposeHeadRoute: false }, async (request, reply) => {
    const filter = toFilter(request.query)
    const { n } = sessionOf(request).person
    if (running.has(n) || running.size >= MAX_AT_ONCE) {
      const whose = running.has(n) ? 'Your last export is still' : 'Other exports are'
      throw new OfficeRefusal(503, 'unavailable', `${whose} running. Try again later.`)
    }
    running.add(n)
    try {
      await store.records.noteExport(FORMAT, filter, authorOf(request, clock))
    } catch (error) {
      running.delete(n)
      throw error
    }
    const writer = new AnimalsWriter(FORMAT, { forSpreadsheet: true })
    const animals =
      isAll(filter) && filter.status === undefined ? store.pets.export() : matchingAnimals(store.records, filter)
    const pieces = whileAllowed(animals, () => assertSessionValid(request))
    const text = textOf(pieces, writer, clock, () => body.destroy())
    const body: Readable = Readable.from(text, { objectMode: false })
    const end = clock.after(TOTAL_MS, () => body.destroy()).unref()
    body.once('close', () => {
      clock.cancel(end)
      running.delete(n)
    })
    body.once('error', (error) => log.error({ err: error }, 'office export not completed'))
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    reply.header('Content-Disposition', `attachment; filename="animals-${day}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(body)
  })
}

async function* matchingAnimals(records: AnimalRecords, filter: AnimalFilter): AsyncIterable<readonly StoredAnimal[]> {
  for (let after: bigint | undefined; ; ) {
    const pets = await records.find({ ...filter, order: 'id', after, limit: FOUND_TOGETHER })
    const last = pets.at(-1)
    if (last === undefined) return
    yield pets
    after = BigInt(last.id)
  }
}

/** The pieces of the file. Calls `giveUp` if one is not read in time. */
async function* textOf(
  pieces: AsyncIterable<readonly StoredAnimal[]>,
  writer: AnimalsWriter,
  clock: Clock,
  giveUp: () => void,
): AsyncIterable<string> {
  yield writer.header
  for await (const rows of pieces) {
    for (const text of writer.rows(rows)) {
      const timer = clock.after(TIMEOUT_MS, giveUp)
      try {
        yield text
      } finally {
        clock.cancel(timer)
      }
      await nextTurn() // a fast client would otherwise block everyone else
    }
  }
}
