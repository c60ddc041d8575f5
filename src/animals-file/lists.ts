/**
 * Reads a list, and does with it what a person has confirmed: for commands and the office alike. A layout that was
 * confirmed once is kept, and the next file of it is read without a question.
 */
import type { Clock } from '../common/clock.ts'
import { counted } from '../common/counted.ts'
import { type Allowed, isAllowed } from '../rules/imports.ts'
import { MISSING, type Missing } from '../rules/sync.ts'
import type { Author } from '../store/author.ts'
import type { ImportOutcome } from '../store/imports.ts'
import type { Layout } from '../store/layouts.ts'
import type { FileRow, StagedFile } from '../store/staging.ts'
import type { Store } from '../store/store.ts'
import type { SyncOptions, SyncOutcome } from '../store/sync.ts'
import { knownCategories } from './categories.ts'
import { ListFile } from './list-file.ts'
import { isOpen, type Line, OPEN, textOf } from './mapping.ts'
import type { ProposedLine } from './proposal.ts'
import type { Look } from './reader.ts'
import type { RowFacts } from './rows.ts'

/** References with several names that are named. */
const REPEATED_SHOWN = 5
const EACH = 'the line several = each makes each of them an animal'

export interface ListJob {
  readonly clock: Pick<Clock, 'after' | 'cancel'>
  /** The descriptor of a file that can be read at any place. */
  readonly fd: number
  readonly source: string
  readonly rowLimit: number
  readonly by: Author
  /** A whole mapping, as somebody says it for this file. */
  readonly mapping?: string | undefined
  /** A person confirms the proposal. */
  readonly confirms: boolean
  /** A person agrees that many animals change, or that references mean other animals now. */
  readonly agrees: boolean
  readonly dryRun: boolean
  /** Undefined: the animals are added, unless the mapping names a reference and `byReference` is set. */
  readonly sync?: {
    readonly reference?: string | undefined
    readonly missing?: Missing | undefined
  }
  readonly byReference?: boolean
  /** Whether new rows that look like animals that are here are these animals. */
  readonly adopts?: SyncOptions['adopts']
  readonly withIds?: boolean
  readonly skipInvalid?: boolean
  readonly duplicates?: 'refuse' | 'add' | 'leave out'
  /** Ends the reading by an error. */
  readonly assertWanted?: () => Promise<unknown>
}

/** What is known of a list, and what was done with it. */
export interface ListResult {
  readonly look: Look
  /** Undefined while a question about the columns is open: nothing is known of the rows then. */
  readonly facts: RowFacts | undefined
  readonly outcome: ImportOutcome | SyncOutcome | undefined
  /** Whether nothing is open, and somebody has confirmed how the list is read, or nothing has to be confirmed. */
  readonly isConfirmed: boolean
  /** The kept layout that the file belongs to. */
  readonly kept: Layout | undefined
  readonly missing: Missing
}

/** Throws UnreadableFile, BadMapping, BadRows, or what the store throws. */
export async function runList(store: Store, asked: ListJob): Promise<ListResult> {
  const { source, by } = asked
  const kept = await store.layouts.list()
  const file = new ListFile(
    {
      ...{ fd: asked.fd, source, rowLimit: asked.rowLimit, isSync: asked.sync !== undefined },
      ...{ byReference: asked.byReference ?? false, withIds: asked.withIds ?? false, nowMs: by.atMs },
      ...{ categories: await knownCategories(store.categories), mapping: asked.mapping },
      ...{ reference: asked.sync?.reference, kept: kept.map(({ n, mapping }) => ({ n, mapping })) },
    },
    asked.clock,
  )
  try {
    const look = withMissing(await file.look(), asked.sync?.missing)
    const layout = kept.find(({ n }) => n === look.layout)
    const missing = MISSING.find((one) => one === sayingOf(look.lines, 'missing')) ?? 'keep'
    const common = { kept: layout, missing }
    if (isOpen(look.lines)) return { look, ...common, facts: undefined, outcome: undefined, isConfirmed: false }
    const mayConfirm = asked.confirms || look.isConfirmed
    const allows = allowedBy(look, asked.confirms || look.by.kind !== 'kept')
    const plan = { list: listOf(look, layout), missing, allows, dryRun: asked.dryRun || !mayConfirm }
    const outcome = await doList(store, asked, look.isSync, answered(file, asked, plan.dryRun), plan).catch(
      (error: unknown) => {
        if (error instanceof OpenWords) return undefined
        throw error
      },
    )
    const found = withQuestions(look, outcome?.file, file.facts, allows)
    const isConfirmed = mayConfirm && !isOpen(found.lines) && outcome !== undefined && isAllowed(outcome.file, allows)
    const isDone = outcome !== undefined && ('counts' in outcome ? outcome.isDone : outcome.n !== undefined)
    const mapping = textOf(look.lines)
    if (isDone && look.by.kind !== 'own' && look.by.kind !== 'ready' && mapping !== layout?.mapping)
      await store.layouts.keep({ n: layout?.n, mapping, list: plan.list }, by)
    return { look: found, ...common, facts: file.facts, outcome, isConfirmed }
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

/** A word of the status is open that only showed in the rows. */
class OpenWords extends Error {}

async function* answered(
  file: ListFile,
  { skipInvalid = false, assertWanted }: ListJob,
  isDryRun: boolean,
): AsyncIterable<readonly FileRow[]> {
  for await (const batch of file.batches(skipInvalid)) {
    await assertWanted?.()
    yield batch
  }
  if (!isDryRun && (file.facts?.openWords.length ?? 0) > 0) throw new OpenWords()
}

/** What the mapping says of several rows about one animal, and whether there may be new categories. */
function allowedBy({ lines, by }: Look, newCategories: boolean): Allowed {
  const isEach = sayingOf(lines, 'several') !== undefined
  const differing = isEach || sayingOf(lines, 'latest') !== undefined
  return { differing, names: isEach || (differing && by.kind !== 'proposal'), newCategories }
}

function sayingOf(lines: readonly Line[], key: string): string | undefined {
  return lines.find((line) => line.key === key)?.value
}

/** What is asked for once belongs to the mapping. */
function withMissing(look: Look, missing: Missing | undefined): Look {
  if (missing === undefined) return look
  const lines = look.lines.filter(({ key }) => key !== 'missing')
  return { ...look, lines: [...lines, { key: 'missing', value: missing, shows: '', candidates: [] }] }
}

/** Which list it is: by its name, by its kept layout, or by the columns that the mapping names. */
function listOf(look: Look, layout: Layout | undefined): string {
  const name = sayingOf(look.lines, 'list-name')
  if (name !== undefined) return `name ${name}`
  if (layout !== undefined) return layout.list
  if (look.by.kind === 'own') return 'own'
  if (look.by.kind === 'ready') return `ready ${look.by.name}`
  const headings = look.lines.filter(({ key }) => !key.includes(':')).map(({ key, value }) => `${key}=${value}`)
  return `layout ${process.getBuiltinModule('node:crypto').hash('sha256', headings.join('\n')).slice(0, 16)}`
}

/** With the questions that only show once all rows are read. */
function withQuestions(look: Look, staged: StagedFile | undefined, facts: RowFacts | undefined, allows: Allowed): Look {
  const lines = [...look.lines]
  const ask = (key: string, shows: string, candidates: ProposedLine['candidates'] = []) => {
    const at = lines.findIndex((line) => line.key === key)
    const line = { key, value: OPEN, shows, candidates }
    if (at === -1) lines.push(line)
    else lines[at] = line
  }
  for (const { word, rows } of facts?.openWords ?? []) ask(`status: ${word}`.trim(), counted(rows, 'row'))
  if (staged === undefined) return { ...look, lines }
  const { repeated, uncategorised } = staged
  if (uncategorised.rows > 0)
    ask('category:', `${counted(uncategorised.rows, 'row')}, the first on line ${uncategorised.lines[0]}`)
  if ((repeated.references > 0 && !allows.differing) || (repeated.named > 0 && !allows.names)) {
    const names = [...Map.groupBy(repeated.first, ({ reference }) => reference)]
      .map(([reference, rows]) => `${reference}: ${[...new Set(rows.map(({ name }) => name))].join(', ')}`)
      .slice(0, REPEATED_SHOWN)
    const what = `${counted(repeated.references, 'reference')} with rows that differ`
    ask('latest', names.length === 0 ? what : `${what} (${names.join('; ')}); ${EACH}`, look.columns)
  }
  return { ...look, lines }
}
