/** The report as a file for spreadsheets, of the command and of the office: a line for each figure of each category. */
import { stringify } from 'csv-stringify/sync'
import { FIGURE_NAMES, figureOf, type MonthReport, totalOf } from './report-lines.ts'

export function toCsv({ months, categories }: MonthReport, names: ReadonlyMap<bigint, string>): string {
  const all = { categoryId: 'all', counts: months.map((_, n) => totalOf(categories, n)) }
  const rows = [...categories, all].flatMap(({ categoryId = 'others', counts }) => {
    const name = /\d/.test(categoryId) ? names.get(BigInt(categoryId)) : undefined
    return FIGURE_NAMES.map((figure) => [categoryId, name, figure, ...counts.map((one) => figureOf(one, figure))])
  })
  return stringify([['category', 'name', 'figure', ...months], ...rows], { escape_formulas: true, bom: true })
}
