/** The report of a month; without one it is that of now. Who did what is for managers only. */
import type { MonthReport } from '../../domain/report-lines.ts'
import { FILTER, json, object } from './route.ts'

const MONTH = object({}, { month: FILTER })

export const REPORT_ROUTES = {
  'GET /api/report': { role: 'viewer', query: MONTH, response: json<MonthReport>() },
  /** A download. */
  'GET /api/report.csv': { role: 'viewer', query: MONTH },
} as const
