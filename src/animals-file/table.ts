/**
 * Opens the table of a file: its mapping, its columns, and what has to be asked before rows can be read. Problems are
 * reported by line.
 */
import { foldWord } from '../common/fold.ts'
import { findColumns } from './columns.ts'
import { type CsvReport, headingsText } from './csv-report.ts'
import { READY_MAPS } from './languages/systems.ts'
import { type Field, fieldName, type Mapping, readRules, readyFor } from './mapping.ts'
import { type Layout, onOneLine, type ReadOptions, type Source, UnreadableFile } from './row.ts'
import { RowReader } from './rows.ts'
import { speciesOf } from './species.ts'

/** More than a row of a spreadsheet can have. */
const MOST_COLUMNS = 20_000

/** Throws UnreadableFile if a column is missing or unclear. */
export async function openTable({ format, layout }: Source, options: ReadOptions, facts: CsvReport) {
  const { mapping: asked, withIds, isSync = false } = options
  const { header } = layout
  const line = layout.headerLine === 0 ? 'The first object' : `Line ${layout.headerLine}`
  if (header.length > MOST_COLUMNS) {
    const what = `the heading has ${header.length} columns, and at most ${MOST_COLUMNS} can be read`
    throw new UnreadableFile(`${line}: ${what}; delete those that are empty.`)
  }
  if (asked.columns.size === 0 && isHeadless(layout)) {
    throw new UnreadableFile(`${line}: the file has no line of headings; write one above it, as name,category,status.`)
  }
  const ready = asked.columns.size === 0 ? readyFor(header) : undefined
  const { rules = [], reference: known } = READY_MAPS.get(ready ?? '') ?? {}
  const mapping = readRules(rules, asked)
  const reference = options.reference ?? known
  const columns = await findColumns(layout, mapping, { ...options, reference })
  const table = { format, layout, columns, mapping, ready }
  facts.table = table
  const { at, unclear } = columns
  for (const field of ['name', 'categoryId', 'status', 'reference'] as const) {
    const isMissing = field === 'status' ? columns.status.includes(-1) : at[field] === -1
    const named = mapping.columns.get(field) ?? (field === 'reference' ? reference : undefined)
    if (isMissing && named !== undefined && named !== '') throw missingColumn(line, layout, named, field)
    const some = unclear.get(field)
    if (some === undefined) continue
    const names = some.map((index) => `"${onOneLine(header[index] ?? '')}"`).join(' and ')
    const none = field === 'status' || (field === 'reference' && !isSync) ? ', or nothing if none is' : ''
    throw new UnreadableFile(`${line}: ${names} could each be the ${fieldName(field)}.`, `Say which one is${none}.`)
  }
  if (withIds && at.id === -1) throw missingColumn(line, layout, 'id', 'id')
  if (isSync && at.reference === -1) throw missingColumn(line, layout, 'of references', 'reference')
  const hasKind = at.categoryId !== -1 || columns.hasSections || hasCommonKind(columns.commonSpecies, mapping)
  const open = [...(at.name === -1 && at.reference === -1 ? ['name'] : []), ...(hasKind ? [] : ['category'])]
  if (open.length > 0) {
    const advice = hasKind ? undefined : 'If it is the same for all animals, say --category NAME.'
    const what = `no column is understood as the ${open.join(', nor as the ')}`
    throw new UnreadableFile(`${line}: ${what}; the headings are: ${headingsText(header)}.`, advice)
  }
  return new RowReader(table, options, facts)
}

/** Whether the category of an animal without one is known: from the file itself, or from the mapping. */
function hasCommonKind(commonSpecies: string | undefined, { values }: Mapping): boolean {
  return commonSpecies !== undefined || values.get('categoryId')?.has('') === true
}

/** Whether the file has no heading: the first row holds values like those below it. */
function isHeadless({ header, sample, headerLine }: Layout): boolean {
  if (headerLine === 0) return false
  const folded = header.map(foldWord)
  const isKind = header.map((cell) => speciesOf(cell) !== undefined)
  const rows = sample.filter((record) => record.some((value, at) => foldWord(value) !== (folded[at] ?? '')))
  const repeated = new Set<number>()
  const kinds = new Map<number, number>()
  for (const record of rows) {
    for (const [at, value] of record.entries()) {
      if (value.trim() !== '' && foldWord(value) === folded[at]) repeated.add(at)
      if (isKind[at] && speciesOf(value) !== undefined) kinds.set(at, (kinds.get(at) ?? 0) + 1)
    }
  }
  return repeated.size >= 2 || [...kinds.values()].some((count) => count > rows.length / 2)
}

function missingColumn(line: string, { header }: Layout, wanted: string, field: Field): UnreadableFile {
  const other = `If it has another name, say --map "${fieldName(field)}=COLUMN".`
  const advice = field === 'reference' ? 'Name the column of the references with --ref.' : other
  const what = `the header has no column ${onOneLine(wanted)}; it is: ${headingsText(header)}.`
  return new UnreadableFile(`${line}: ${what}`, advice)
}
