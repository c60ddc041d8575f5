/** Reads a list and carries out what a person has confirmed. A confirmed layout is kept for later files. */
import { hash } from 'node:crypto'
import type { Clock } from '../common/clock.ts'
import { counted } from '../common/counted.ts'
import { type Allowed, isAllowed, maySkipRows } from '../rules/imports.ts'
import { MISSING, type Missing } from '../rules/sync.ts'
import type { Author } from '../store/author.ts'
import type { ImportOutcome } from '../store/imports.ts'
import type { Layout } from '../store/layouts.ts'
import type { StagedFile } from '../store/staging.ts'
import type { Store } from '../store/store.ts'
import type { SyncOptions, SyncOutcome } from '../store/sync.ts'
import { BadRows } from './file-errors.ts'
import { ListFile } from './list-file.ts'
import { isOpen, type Line, OPEN, textOf } from './mapping.ts'
import type { ProposedLine } from './proposal.ts'
import type { Look } from './reader.ts'
import type { ReadRequest } from './request.ts'
import type { RowFacts } from './rows.ts'

export interface ListJob
  extends Pick<ReadRequest, 'fd' | 'source' | 'rowLimit'>,
    Partial<Pick<ReadRequest, 'mapping' | 'changes' | 'byReference' | 'withIds'>> {
  readonly clock: Pick<Clock, 'after' | 'cancel'>
  readonly by: Author
  readonly confirms: boolean
  /** A person agrees to many changes, or to references that now mean other animals. */
  readonly agrees: boolean
  readonly dryRun: boolean
  /** Undefined: the animals are added, unless the mapping names a reference and `byReference` is set. */
  readonly sync?: Pick<ReadRequest, 'reference' | 'missing'>
  /** Whether new rows are the existing animals that they look like. */
  readonly adopts?: SyncOptions['adopts']
  readonly skipInvalid?: boolean
  readonly duplicates?: 'refuse' | 'add' | 'leave out'
  readonly assertWanted?: () => Promise<unknown>
}

export interface ListResult {
  readonly look: Look
  readonly facts: RowFacts | undefined
  readonly outcome: ImportOutcome | SyncOutcome | undefined
  readonly isConfirmed: boolean
  readonly kept: Layout | undefined
  readonly missing: Missing
}

/** Throws UnreadableFile, BadMapping, BadRows, or an error of the store. */
export async function runList(store: Store, job: ListJob): Promise<ListResult> {
  const { clock, by, confirms, agrees, sync, adopts, duplicates } = job
  const { fd, source, rowLimit, mapping, changes, byReference = false, withIds = false } = job
  const kept = await store.layouts.list()
  const categories = { labels: await store.categories.names(), gaps: await store.categories.gaps() }
  const how = { mapping, changes, byReference, withIds, isSync: sync !== undefined, ...sync, nowMs: by.atMs }
  const file = new ListFile({ fd, source, rowLimit, categories, kept, ...how }, clock)
  try {
    const look = await file.look()
    const layout = kept.find(({ n }) => n === look.layout)
    const missing = MISSING.find((one) => one === sayingOf(look.lines, 'missing')) ?? 'keep'
    const unknown = { look, facts: undefined, outcome: undefined, isConfirmed: false, kept: layout, missing }
    if (isOpen(look.lines)) return unknown
    const mayConfirm = confirms || look.isConfirmed
    const allows = allowedBy(look, confirms || look.by.kind !== 'kept')
    const list = listOf(look, layout)
    const plan = { list, missing, allows, dryRun: job.dryRun || !mayConfirm, by, source }
    const alike = { allowDuplicates: duplicates === 'add', leaveOutDuplicates: duplicates === 'leave out' }
    const batches = validRows(file, job, look.isSync, missing)
    const outcome = look.isSync
      ? await store.sync.run(batches, { ...plan, agrees, adopts })
      : await store.imports.add(batches, { ...plan, ...alike, withIds, list: withIds ? undefined : list })
    const isDone = 'counts' in outcome ? outcome.isDone : outcome.n !== undefined
    const text = textOf(look.lines)
    if (isDone && look.by.kind !== 'own' && look.by.kind !== 'ready' && text !== layout?.mapping)
      await store.layouts.keep({ n: layout?.n, mapping: text, list }, by)
    const isConfirmed = mayConfirm && isAllowed(outcome.file, allows)
    const found = withQuestions(look, outcome.file, file.facts?.unit, allows)
    return { ...unknown, look: found, facts: file.facts, outcome, isConfirmed }
  } finally {
    await file.close()
  }
}

/** Throws BadRows at the end, so that all problems are reported together. */
async function* validRows(file: ListFile, job: ListJob, isSync: boolean, missing: Missing) {
  for await (const batch of file.batches()) {
    await job.assertWanted?.()
    yield batch
  }
  const maySkip = maySkipRows(isSync, missing)
  const skips = job.skipInvalid && (maySkip || job.dryRun)
  if (file.facts !== undefined && file.facts.badRows > 0 && !skips) throw new BadRows(file.facts, isSync, maySkip)
}

function allowedBy({ lines, by }: Look, newCategories: boolean): Allowed {
  const isEach = sayingOf(lines, 'several') !== undefined
  const differing = isEach || sayingOf(lines, 'latest') !== undefined
  return { differing, names: isEach || (differing && by.kind !== 'proposal'), newCategories }
}

function sayingOf(lines: readonly Line[], key: string): string | undefined {
  return lines.find((line) => line.key === key)?.value
}

function listOf({ lines, by }: Look, layout: Layout | undefined): string {
  const name = sayingOf(lines, 'list-name')
  if (name !== undefined) return `name ${name}`
  if (layout !== undefined) return layout.list
  if (by.kind === 'own') return 'own'
  if (by.kind === 'ready') return `ready ${by.name}`
  const headings = lines.filter(({ key }) => !key.includes(':')).map(({ key, value }) => `${key}=${value}`)
  return `layout ${hash('sha256', headings.join('\n')).slice(0, 16)}`
}

/** Adds the questions that only all rows show. */
function withQuestions(
  look: Look,
  { repeated, uncategorised }: StagedFile,
  unit: RowFacts['unit'] | undefined,
  allows: Allowed,
): Look {
  const lines = new Map(look.lines.map((line) => [line.key, line]))
  const ask = (key: string, shows: string, candidates: ProposedLine['candidates'] = []) =>
    lines.set(key, { key, value: OPEN, shows, candidates })
  if (uncategorised.rows > 0)
    ask('category:', `${counted(uncategorised.rows, 'row')}, the first on ${unit} ${uncategorised.lines[0]}`)
  if ((repeated.references > 0 && !allows.differing) || (repeated.named > 0 && !allows.names)) {
    const names = new Set(repeated.first.map(({ reference, name }) => `${reference} ${name}`))
    const what = `${counted(repeated.references, 'reference')} with rows that differ`
    const some = [...names].slice(0, 5).join(', ')
    const dated = look.columns.filter(({ isDate }) => isDate)
    ask('latest', some === '' ? what : `${what} (${some}); the line several = each makes each of them an animal`, dated)
  }
  return { ...look, lines: [...lines.values()] }
}
