/** The rows of a file in temporary tables. The latest row about an animal applies, and none if it has left. */
import type { PetStatus } from '../contract/schemas.ts'
import { toStatus } from './rows.ts'
import { type Cell, type Database, foldedOf, indexedOf, int, numberOf, type Sql, selectIds, table } from './sql.ts'

export interface FileRow {
  readonly name: string
  /** Undefined if the file has none: then another row about the animal applies, if there is one. */
  readonly categoryId?: bigint
  readonly status?: PetStatus | null | undefined
  /** False if the list has no statuses: then `status` applies to added animals only. */
  readonly saysStatus?: boolean
  /** Only from an export of this service. */
  readonly id?: bigint
  readonly reference?: string
  /** Rows with the same text here, or else the same reference, are about one animal. */
  readonly same?: string | undefined
  readonly line?: number
  /** The latest of several rows about one animal applies. Any unit. */
  readonly latest?: number
  /** The animal has left: it is not imported, whatever older rows say. */
  readonly isGone?: boolean
  readonly cameOn?: number
  /** The new name of its category. If another process has created it before the commit, nothing is done. */
  readonly newCategory?: string
}

export type StagedFile = Awaited<ReturnType<typeof stage>>

/** How many animals of one status and category would be treated alike. */
export type Group = ReturnType<typeof GROUP.row>

const GROUP = table({ kind: 'text', categoryId: 'bigint', status: toStatus, animals: ['int', 'count(*)'] })
const GROUPS_SHOWN = 200

export function groupsOf(sql: Sql, rows: string): Promise<readonly Group[]> {
  return GROUP.select(
    sql,
    `FROM ${rows} GROUP BY kind, category_id, status ORDER BY count(*) DESC LIMIT ${GROUPS_SHOWN}`,
  )
}

const LINES_SHOWN = 3
const ROWS_SHOWN = 10
const REPEATED_SHOWN = 20

// `ref` and `name_key`: the compared forms of reference and name.
const ROW = table({
  line: 'bigint',
  reference: 'text',
  ref: 'text',
  name: 'text',
  folded: 'text',
  nameKey: 'text',
  categoryId: 'bigint',
  status: 'text',
  saysStatus: 'bigint',
  cameOn: 'bigint',
  petId: 'bigint',
  latest: 'bigint',
  isGone: 'bigint',
})
const FIRST = table({ id: ['bigint?', 'pet_id'], name: 'text', categoryId: 'bigint', status: toStatus })

export const STAGING_TABLES = [
  `file_rows (place integer PRIMARY KEY, ${Object.entries(ROW.types).map((column) => column.join(' '))})`,
  'older_rows (place integer PRIMARY KEY)',
  'gone_rows (ref text)',
]

const INDEX = 'CREATE INDEX file_rows_by_reference ON file_rows (ref, latest DESC, place DESC)'
const FIND_OLDER = `
  INSERT INTO older_rows SELECT place FROM (
    SELECT place, row_number() OVER (PARTITION BY ref ORDER BY latest DESC, place DESC) AS nth
    FROM file_rows WHERE ref IS NOT NULL
  ) AS ranked WHERE nth > 1`
/** References whose rows differ, in anything or in the name. */
const DIFFERENT = 'SELECT ref FROM file_rows WHERE ref IS NOT NULL GROUP BY ref HAVING count(*) > 1 AND'
const IN_ALL = `${DIFFERENT}
  count(DISTINCT name_key || ' ' || coalesce(category_id, 0) || ' ' || coalesce(status, '') || ' ' || is_gone) > 1`
const IN_NAME = `${DIFFERENT} count(DISTINCT name_key) > 1`
const REPEATED = table({ reference: 'text', name: 'text', line: 'int' })

export async function stage({ dialect }: Database, sql: Sql, batches: AsyncIterable<readonly FileRow[]>) {
  let [read, hasReferences] = [0, false]
  const categories = new Map<bigint, string>()
  for await (const batch of batches) {
    const rows = batch.map(toCells)
    const input = dialect.inputTable(ROW.types, rows, 2)
    await sql(
      `INSERT INTO file_rows (place, ${ROW.columns}) SELECT CAST($1 AS bigint) + place, ${ROW.columns} FROM ${input.from}`,
      [read, ...input.values],
    )
    read += batch.length
    hasReferences ||= batch.some(({ reference }) => reference !== undefined)
    for (const { categoryId, newCategory } of batch)
      if (newCategory && categoryId !== undefined) categories.set(categoryId, newCategory)
  }
  if (hasReferences) await sql(INDEX)
  await dialect.analyze(sql, 'file_rows')
  const repeated = hasReferences ? await leaveOutOlder(sql) : NOT_REPEATED
  await sql('INSERT INTO gone_rows SELECT ref FROM file_rows WHERE is_gone = 1 AND ref IS NOT NULL')
  await sql('DELETE FROM file_rows WHERE is_gone = 1')
  const isOpen = 'FROM file_rows WHERE category_id IS NULL'
  const lines = await sql(`SELECT line ${isOpen} ORDER BY place LIMIT ${LINES_SHOWN}`)
  return {
    rows: await numberOf(sql, 'SELECT count(*) FROM file_rows'),
    repeated,
    uncategorised: { rows: await numberOf(sql, `SELECT count(*) ${isOpen}`), lines: lines.map(([line]) => int(line)) },
    newCategories: await categoriesOf(dialect, sql, categories),
    first: await FIRST.select(sql, `FROM file_rows WHERE category_id IS NOT NULL ORDER BY place LIMIT ${ROWS_SHOWN}`),
  }
}

function toCells(row: FileRow): Cell[] {
  const { reference, same = reference, name, latest = -1, status } = row
  const { saysStatus = status !== undefined } = row
  const folded = foldedOf(name)
  return ROW.cells({
    ...row,
    ref: same === undefined ? undefined : indexedOf(same),
    folded,
    // As the database lowers it.
    nameKey: folded ?? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    saysStatus: saysStatus ? 1 : 0,
    petId: row.id,
    latest,
    isGone: row.isGone ? 1 : 0,
  })
}

const NOT_REPEATED = { rows: 0, references: 0, named: 0, first: [] as readonly ReturnType<typeof REPEATED.row>[] }

/** Of several rows about one animal, the latest or else the last applies. Returns where rows differ. */
async function leaveOutOlder(sql: Sql) {
  await sql(FIND_OLDER)
  const rows = await numberOf(sql, 'SELECT count(*) FROM older_rows')
  if (rows === 0) return NOT_REPEATED
  const repeated = {
    rows,
    /** References whose rows differ, and those with several names. */
    references: await numberOf(sql, `SELECT count(*) FROM (${IN_ALL}) AS found`),
    named: await numberOf(sql, `SELECT count(*) FROM (${IN_NAME}) AS found`),
    /** The first rows of references with several names, or else of those that differ. */
    first: await REPEATED.select(
      sql,
      `FROM file_rows WHERE ref IN (${IN_NAME}) ORDER BY ref, place LIMIT ${REPEATED_SHOWN}`,
    ),
  }
  await sql('DELETE FROM file_rows WHERE place IN (SELECT place FROM older_rows)')
  return repeated
}

async function categoriesOf({ isIn }: Database['dialect'], sql: Sql, categories: ReadonlyMap<bigint, string>) {
  if (categories.size === 0) return categories
  const used = `SELECT DISTINCT category_id FROM file_rows WHERE ${isIn('category_id', 1)}`
  const ids = new Set(await selectIds(sql, used, [[...categories.keys()]]))
  return new Map([...categories].filter(([id]) => ids.has(id)))
}
