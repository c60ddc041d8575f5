/**
 * All animals as a download, from one snapshot. The animals are read as fast as the client takes them. A snapshot costs the
 * database, so a client that stops reading is cut off, and few downloads run at a time.
 */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AnimalsWriter, type FileFormat } from '../../animals-file/write.ts'
import type { PetStore } from '../../store/store.ts'
import { invalid } from './animals.ts'
import { type OfficeOptions, OfficeRefusal } from './routes.ts'

/** Each holds a snapshot, and in PostgreSQL one of the connections for long work. */
const MOST_AT_ONCE = 1
/** A client that takes nothing for so long has gone, whatever its connection says. */
const PATIENCE_MS = 60_000

const QUERY = {
  type: 'object',
  properties: { format: { enum: ['csv', 'ndjson'] }, for: { enum: ['spreadsheet'] } },
} as const
const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

interface ExportQuery {
  readonly format?: FileFormat
  readonly for?: 'spreadsheet'
}

export function addExportRoutes(server: FastifyInstance, { store, clock, log }: OfficeOptions): void {
  let running = 0
  server.get<{ Querystring: ExportQuery }>(
    '/api/export',
    { config: { role: 'manager' }, schema: { querystring: QUERY }, exposeHeadRoute: false },
    async ({ query: { format = 'csv', for: reader } }, reply) => {
      if (reader !== undefined && format !== 'csv') throw invalid('For a spreadsheet the format is CSV.')
      if (running >= MOST_AT_ONCE) {
        throw new OfficeRefusal(503, 'unavailable', 'Another export is running; wait for its end and try again.')
      }
      running += 1
      const writer = new AnimalsWriter(format, { forSpreadsheet: reader !== undefined })
      const body = Readable.from(
        textOf(store.pets, writer, () => body.destroy()),
        { objectMode: false },
      )
      body.once('close', () => {
        running -= 1
      })
      body.once('error', (error) => log.error({ err: error }, 'an export of the office was not completed'))
      const day = new Date(clock()).toISOString().slice(0, 10)
      reply.header('Content-Disposition', `attachment; filename="animals-${day}.${format}"`).type(TYPES[format])
      return reply.send(body)
    },
  )
}

/** The file, piece by piece. `giveUp` is called if a piece is not taken. */
async function* textOf(pets: PetStore, writer: AnimalsWriter, giveUp: () => void): AsyncIterable<string> {
  yield writer.header
  for await (const rows of pets.export()) {
    const text = writer.rows(rows)
    const patience = setTimeout(giveUp, PATIENCE_MS)
    try {
      yield text
    } finally {
      clearTimeout(patience)
    }
    await nextTurn() // a fast client would otherwise keep everybody else waiting
  }
}
