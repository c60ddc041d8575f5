/**
 * The rows of a file in a temporary table, from which an import or a sync takes those that count: of several about one
 * animal the newest, and none of an animal that has left. They are held by the engine, so that no process holds a list.
 */
import type { PetStatus } from '../contract/schemas.ts'
import { isAmbiguous } from '../rules/imports.ts'
import { toStatus } from './rows.ts'
import { type Cell, type Database, foldedOf, indexedOf, int, numberOf, type Sql, selectIds, table } from './sql.ts'

export interface FileRow {
  readonly name: string
  readonly categoryId: bigint
  /** Null for none; undefined if the file does not say it. */
  readonly status?: PetStatus | null | undefined
  /** Only of an export that is read back by an import. */
  readonly id?: bigint
  /** What the other system calls the animal, of a sync. */
  readonly reference?: string
  /** Rows with the same text here, or else with one reference, are about one animal. */
  readonly same?: string | undefined
  /** Where the file has it, counted from 1. */
  readonly line?: number
  /** When it came and when it left, in any unit, to be compared with the other rows about it. */
  readonly stay?: { readonly from: number | undefined; readonly to: number | undefined }
  /** It has left: the animal is not taken from the file, whatever older rows say. */
  readonly isGone?: boolean
  /** The day on which it came, since 1970. */
  readonly cameOn?: number
  /** The name that the file gives its category, which has none yet. If it has one by the commit, nothing is done. */
  readonly newCategory?: string
}

export type StagedFile = Awaited<ReturnType<typeof stage>>

/** How many animals of one status and category an import or a sync would treat alike. */
export type Group = ReturnType<typeof GROUP.row>

const GROUP = table({ kind: 'text', categoryId: 'bigint', status: toStatus, animals: ['int', 'count(*)'] })
const GROUPS_SHOWN = 200

/** The largest groups of rows that have these columns. */
export function groupsOf(sql: Sql, rows: string): Promise<readonly Group[]> {
  return GROUP.select(
    sql,
    `FROM ${rows} GROUP BY kind, category_id, status ORDER BY count(*) DESC LIMIT ${GROUPS_SHOWN}`,
  )
}

const LINES_SHOWN = 3
const ROWS_SHOWN = 10
/** Who has no date of departure is still there: the newest. */
const STILL_THERE = 1n << 62n

// `ref` and `name_key`: a reference and a name as they are compared.
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
  came: 'bigint',
  gone: 'bigint',
  isGone: 'bigint',
})
const FIRST = table({ id: ['bigint?', 'pet_id'], name: 'text', categoryId: 'bigint', status: toStatus })

export const STAGING_TABLES = [
  `file_rows (place integer PRIMARY KEY, ${Object.entries(ROW.types).map((column) => column.join(' '))})`,
  'older_rows (place integer PRIMARY KEY)',
]

const INDEX = 'CREATE INDEX file_rows_by_reference ON file_rows (ref, came DESC, gone DESC, place DESC)'
const FIND_OLDER = `
  INSERT INTO older_rows SELECT place FROM (
    SELECT place, row_number() OVER (PARTITION BY ref ORDER BY came DESC, gone DESC, place DESC) AS nth
    FROM file_rows WHERE ref IS NOT NULL
  ) AS ranked WHERE nth > 1`
/** Rows with the reference of an animal of another name or category. */
const COUNT_OTHERS = `
  SELECT coalesce(sum(animals - 1), 0) FROM (
    SELECT count(DISTINCT name_key || ' ' || category_id) AS animals FROM file_rows
    WHERE ref IN (SELECT ref FROM file_rows WHERE place IN (SELECT place FROM older_rows)) GROUP BY ref
  ) AS repeated`

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
    hasReferences ||= batch.some(({ reference, same = reference }) => same !== undefined)
    for (const { categoryId, newCategory } of batch) if (newCategory) categories.set(categoryId, newCategory)
  }
  if (hasReferences) await sql(INDEX)
  await dialect.analyze(sql, 'file_rows')
  const { others, ...older } = hasReferences ? await leaveOutOlder(sql) : { others: 0, rows: 0, lines: [] }
  await sql('DELETE FROM file_rows WHERE is_gone = 1')
  return {
    /** Those that count. */
    rows: await numberOf(sql, 'SELECT count(*) FROM file_rows'),
    /** Older rows about the animals of others: how many, and the first lines. */
    older,
    /** Set if the references do not tell the animals apart: nothing is done. */
    ambiguous: isAmbiguous(others, read) ? { rows: others, of: read } : undefined,
    /** The categories of the rows that have no name yet: what the file calls each. */
    newCategories: await categoriesOf(dialect, sql, categories),
    first: await FIRST.select(sql, `FROM file_rows ORDER BY place LIMIT ${ROWS_SHOWN}`),
  }
}

function toCells(row: FileRow): Cell[] {
  const { reference, same = reference, name, status, stay } = row
  const folded = foldedOf(name)
  return ROW.cells({
    ...row,
    ref: same === undefined ? undefined : indexedOf(same),
    folded,
    nameKey: folded ?? name.toLowerCase(),
    saysStatus: status === undefined ? 0 : 1,
    petId: row.id,
    came: stay?.from ?? -1,
    gone: stay?.to ?? STILL_THERE,
    isGone: row.isGone ? 1 : 0,
  })
}

/** Of rows about one animal the newest stay counts, or else the last row. */
async function leaveOutOlder(sql: Sql) {
  await sql(FIND_OLDER)
  const rows = await numberOf(sql, 'SELECT count(*) FROM older_rows')
  if (rows === 0) return { rows, lines: [], others: 0 }
  const ofOlder = 'FROM file_rows WHERE place IN (SELECT place FROM older_rows)'
  const lines = await sql(`SELECT line ${ofOlder} ORDER BY place LIMIT ${LINES_SHOWN}`)
  const others = await numberOf(sql, COUNT_OTHERS)
  await sql(`DELETE ${ofOlder}`)
  return { rows, lines: lines.map(([line]) => int(line)), others }
}

async function categoriesOf({ isIn }: Database['dialect'], sql: Sql, categories: ReadonlyMap<bigint, string>) {
  if (categories.size === 0) return categories
  const used = `SELECT DISTINCT category_id FROM file_rows WHERE ${isIn('category_id', 1)}`
  const ids = new Set(await selectIds(sql, used, [[...categories.keys()]]))
  return new Map([...categories].filter(([id]) => ids.has(id)))
}
