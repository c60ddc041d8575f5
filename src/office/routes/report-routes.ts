/** The office's route for the report of a month: what came in and went out, who waits now, and who did what. */
import type { FastifyInstance } from 'fastify'
import { monthOf, readReport } from '../../domain/report.ts'
import type { OfficeReport } from '../report-data.ts'
import { FILTER, invalid, type OfficeOptions } from './routes.ts'

const QUERY = { type: 'object', properties: { month: FILTER } } as const

export function addReportRoutes(
  server: FastifyInstance,
  { store, clock }: Pick<OfficeOptions, 'store' | 'clock'>,
): void {
  server.get<{ Querystring: { readonly month?: string } }>(
    '/api/report',
    { config: { role: 'manager' }, schema: { querystring: QUERY } },
    async ({ query }): Promise<OfficeReport> => {
      const month = query.month || new Date(clock.now()).toISOString().slice(0, 7)
      if (monthOf(month) === undefined) throw invalid('The month must be one as 2026-11.')
      const { categories, wait, missing, ...report } = await readReport(store.reports, month, clock.now())
      const { medianDays = null, longestDays = null } = wait
      return {
        ...report,
        categories: categories.map(({ categoryId, ...ways }) => ({ id: categoryId.toString(), ...ways })),
        wait: { ...wait, medianDays, longestDays },
        missing: missing === undefined ? null : { animals: missing.animals, untilMs: missing.untilMs ?? null },
      }
    },
  )
}
