/**
 * Reads a list and carries out what a person has confirmed, for commands and the office. A confirmed layout is stored,
 * and later files with it need no question.
 */
import type { Clock } from '../common/clock.ts'
import { counted } from '../common/counted.ts'
import { type Allowed, isAllowed, maySkipRows } from '../rules/imports.ts'
import { MISSING, type Missing } from '../rules/sync.ts'
import type { Author } from '../store/author.ts'
import type { ImportOutcome } from '../store/imports.ts'
import type { Layout } from '../store/layouts.ts'
import type { FileRow, StagedFile } from '../store/staging.ts'
import type { Store } from '../store/store.ts'
import type { SyncOptions, SyncOutcome } from '../store/sync.ts'
import { knownCategories } from './categories.ts'
import { BadRows } from './file-errors.ts'
import { ListFile } from './list-file.ts'
import { isOpen, type Line, OPEN, textOf } from './mapping.ts'
import type { ProposedLine } from './proposal.ts'
import type { Look } from './reader.ts'
import type { RowFacts } from './rows.ts'

const REPEATED_SHOWN = 5
const EACH = 'the line several = each makes each of them an animal'

export interface ListJob {
  readonly clock: Pick<Clock, 'after' | 'cancel'>
  readonly fd: number
  readonly source: string
  readonly rowLimit: number
  readonly by: Author
  readonly mapping?: string | undefined
  /** The kept layout that this mapping changes. */
  readonly changes?: bigint | undefined
  readonly confirms: boolean
  /** A person agrees to many changes, or to references that now mean other animals. */
  readonly agrees: boolean
  readonly dryRun: boolean
  /** Undefined: the animals are added, unless the mapping names a reference and `byReference` is set. */
  readonly sync?: { readonly reference?: string | undefined; readonly missing?: Missing | undefined }
  readonly byReference?: boolean
  /** Whether new rows are the existing animals that they look like. */
  readonly adopts?: SyncOptions['adopts']
  readonly withIds?: boolean
  readonly skipInvalid?: boolean
  readonly duplicates?: 'refuse' | 'add' | 'leave out'
  readonly assertWanted?: () => Promise<unknown>
}

export interface ListResult {
  readonly look: Look
  /** Undefined while a question about the columns is open. */
  readonly facts: RowFacts | undefined
  readonly outcome: ImportOutcome | SyncOutcome | undefined
  /** Whether no question is open, and the reading is confirmed or needs no confirmation. */
  readonly isConfirmed: boolean
  readonly kept: Layout | undefined
  readonly missing: Missing
}

/** Throws UnreadableFile, BadMapping, BadRows, or an error of the store. */
export async function runList(store: Store, job: ListJob): Promise<ListResult> {
  const {
    clock,
    fd,
    source,
    rowLimit,
    by,
    mapping,
    changes,
    confirms,
    sync,
    byReference = false,
    withIds = false,
  } = job
  const layouts = await store.layouts.list()
  const categories = await knownCategories(store.categories)
  const kept = layouts.map(({ n, mapping }) => ({ n, mapping }))
  const isSync = sync !== undefined
  const how = { isSync, byReference, withIds, nowMs: by.atMs, mapping, changes, reference: sync?.reference }
  const file = new ListFile({ fd, source, rowLimit, categories, kept, ...how }, clock)
  try {
    const look = withMissing(await file.look(), sync?.missing)
    const layout = layouts.find(({ n }) => n === look.layout)
    const missing = MISSING.find((one) => one === sayingOf(look.lines, 'missing')) ?? 'keep'
    const unknown = { look, facts: undefined, outcome: undefined, isConfirmed: false, kept: layout, missing }
    if (isOpen(look.lines)) return unknown
    const mayConfirm = confirms || look.isConfirmed
    const allows = allowedBy(look, confirms || look.by.kind !== 'kept')
    const plan = { list: listOf(look, layout), missing, allows, dryRun: job.dryRun || !mayConfirm }
    const outcome = await doList(store, job, look.isSync, answered(file, job, look.isSync, plan), plan).catch(
      (error: unknown) => {
        if (error instanceof OpenWords) return undefined
        throw error
      },
    )
    const found = withQuestions(look, outcome?.file, file.facts, allows)
    const isConfirmed = mayConfirm && !isOpen(found.lines) && outcome !== undefined && isAllowed(outcome.file, allows)
    const isDone = outcome !== undefined && ('counts' in outcome ? outcome.isDone : outcome.n !== undefined)
    const text = textOf(look.lines)
    if (isDone && look.by.kind !== 'own' && look.by.kind !== 'ready' && text !== layout?.mapping)
      await store.layouts.keep({ n: layout?.n, mapping: text, list: plan.list }, by)
    return { ...unknown, look: found, facts: file.facts, outcome, isConfirmed }
  } finally {
    await file.close()
  }
}

interface Plan {
  readonly list: string
  readonly missing: Missing
  readonly allows: Allowed
  readonly dryRun: boolean
}

function doList(store: Store, job: ListJob, isSync: boolean, batches: AsyncIterable<readonly FileRow[]>, plan: Plan) {
  const { by, source, agrees, adopts, withIds = false, duplicates = 'refuse' } = job
  const common = { ...plan, by, source }
  if (isSync) return store.sync.run(batches, { ...common, agrees, adopts })
  const alike = { allowDuplicates: duplicates === 'add', leaveOutDuplicates: duplicates === 'leave out' }
  return store.imports.add(batches, { ...common, ...alike, withIds, list: withIds ? undefined : plan.list })
}

/** An open word of the status that only the rows showed. */
class OpenWords extends Error {}

/** Throws OpenWords or BadRows at the end, so that all problems are reported together. */
async function* answered(file: ListFile, job: ListJob, isSync: boolean, { missing, dryRun }: Plan) {
  const { skipInvalid = false, assertWanted } = job
  for await (const batch of file.batches()) {
    await assertWanted?.()
    yield batch
  }
  const maySkip = maySkipRows(isSync, missing)
  const skips = skipInvalid && (maySkip || job.dryRun)
  if (file.facts === undefined) return
  if (file.facts.openWords.length === 0 && file.facts.badRows > 0 && !skips)
    throw new BadRows(file.facts, isSync, maySkip)
  if (!dryRun && file.facts.openWords.length > 0) throw new OpenWords()
}

/** The mapping's answer about several rows per animal, and whether new categories are possible. */
function allowedBy({ lines, by }: Look, newCategories: boolean): Allowed {
  const isEach = sayingOf(lines, 'several') !== undefined
  const differing = isEach || sayingOf(lines, 'latest') !== undefined
  return { differing, names: isEach || (differing && by.kind !== 'proposal'), newCategories }
}

function sayingOf(lines: readonly Line[], key: string): string | undefined {
  return lines.find((line) => line.key === key)?.value
}

/** A given answer becomes part of the mapping. */
function withMissing(look: Look, missing: Missing | undefined): Look {
  if (missing === undefined) return look
  const lines = look.lines.filter(({ key }) => key !== 'missing')
  return { ...look, lines: [...lines, { key: 'missing', value: missing, shows: '', candidates: [] }] }
}

/** The list: by its name, its stored layout, or the columns of the mapping. */
function listOf({ lines, by }: Look, layout: Layout | undefined): string {
  const name = sayingOf(lines, 'list-name')
  if (name !== undefined) return `name ${name}`
  if (layout !== undefined) return layout.list
  if (by.kind === 'own') return 'own'
  if (by.kind === 'ready') return `ready ${by.name}`
  const headings = lines.filter(({ key }) => !key.includes(':')).map(({ key, value }) => `${key}=${value}`)
  return `layout ${process.getBuiltinModule('node:crypto').hash('sha256', headings.join('\n')).slice(0, 16)}`
}

/** Adds the questions that only all rows show. */
function withQuestions(look: Look, staged: StagedFile | undefined, facts: RowFacts | undefined, allows: Allowed): Look {
  const lines = new Map(look.lines.map((line) => [line.key, line]))
  const ask = (key: string, shows: string, candidates: ProposedLine['candidates'] = []) =>
    lines.set(key, { key, value: OPEN, shows, candidates })
  for (const { word, rows } of facts?.openWords ?? []) ask(`status: ${word}`.trim(), counted(rows, 'row'))
  const { repeated, uncategorised } = staged ?? {}
  if (uncategorised !== undefined && uncategorised.rows > 0)
    ask('category:', `${counted(uncategorised.rows, 'row')}, the first on ${facts?.unit} ${uncategorised.lines[0]}`)
  const isUnsaid = (repeated?.references ?? 0) > 0 && !allows.differing
  if (repeated !== undefined && (isUnsaid || (repeated.named > 0 && !allows.names))) {
    const names = [...Map.groupBy(repeated.first, ({ reference }) => reference)].map(([reference, rows]) => {
      return `${reference}: ${[...new Set(rows.map(({ name }) => name))].join(', ')}`
    })
    const what = `${counted(repeated.references, 'reference')} with rows that differ`
    const some = names.slice(0, REPEATED_SHOWN).join('; ')
    const dated = look.columns.filter(({ isDate }) => isDate)
    ask('latest', some === '' ? what : `${what} (${some}); ${EACH}`, dated)
  }
  return { ...look, lines: [...lines.values()] }
}
