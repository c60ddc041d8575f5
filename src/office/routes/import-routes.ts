/** Importing a file in the browser: upload, review, import, undo. One file is read at a time, since it may be large. */

import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRows, UnreadableFile } from '../../animals-file/file-errors.ts'
import type { ListResult } from '../../animals-file/lists.ts'
import { BadMapping } from '../../animals-file/mapping.ts'
import type { RowFacts } from '../../animals-file/rows.ts'
import { parseInt64 } from '../../contract/int64.ts'
import { duplicatesText } from '../../domain/file-outcome.ts'
import { brief } from '../../rules/bounds.ts'
import { NO_IMPORT_TO_UNDO } from '../../rules/changes.ts'
import { sourceOf, UPLOAD_BYTES } from '../../rules/imports.ts'
import type { Missing, SyncChange } from '../../rules/sync.ts'
import type { StagedFile } from '../../store/staging.ts'
import { StoreUnusable } from '../../store/store.ts'
import type { SyncOutcome } from '../../store/sync.ts'
import type { ImportRequest, Upload as UploadView } from '../office-data.ts'
import { assertSynced, toFileChange, toSyncPreview } from './file-sync.ts'
import { FORM_BYTES } from './limits.ts'
import { invalid, notFound, OfficeRefusal } from './refusals.ts'
import {
  addRoute,
  assertSessionValid,
  assertWanted,
  authorOf,
  type OfficeOptions,
  sessionOf,
  toSent,
} from './routes.ts'
import { tooLarge, type Upload, Uploads, uploadGone } from './uploads.ts'

const IMPORTS_SHOWN = 100
const MAPPING_BYTES = 256 << 10

type ReadOptions = Omit<ImportRequest, 'upload'> & { readonly dryRun: boolean }
const LOOK: ReadOptions = { skipInvalid: true, duplicates: 'refuse', dryRun: true }

type Read = (request: FastifyRequest, upload: Upload, reading: ReadOptions) => Promise<ListResult>

export function addImportRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock, randomBytes } = options
  const uploads = new Uploads({ clock, randomBytes, isSessionValid: server.guard.isSessionValid })
  const inTurn = makeQueue()
  server.addHook('onClose', () => uploads.close())
  // An upload is dropped in the turn that imports it, so a request sent twice imports it once.
  const read: Read = (request, upload, reading) =>
    inTurn(async () => {
      const result = await readFile(request, uploads, upload, reading, options)
      const { outcome } = result
      const isDone = outcome !== undefined && ('counts' in outcome ? outcome.isDone : outcome.n !== undefined)
      if (isDone) await uploads.drop(upload.id)
      return result
    })
  addUploading(server, uploads, read, options)

  addRoute(server, 'POST /api/imports', async (request) => {
    const { upload: id, ...choices } = request.body
    const upload = await uploadOf(request, uploads, id)
    const { outcome, facts, isConfirmed } = await read(request, upload, { ...choices, dryRun: false }).catch(refuse)
    if (outcome === undefined || !isConfirmed) throw invalid('Answer the open questions first. Nothing was changed.')
    if ('counts' in outcome) {
      assertSynced(outcome, choices.agrees ?? false)
      const { n, file, counts } = outcome
      return { n: n?.toString() ?? null, animals: file.rows, counts, badRows: facts?.badRows ?? 0, duplicates: 0 }
    }
    const { n, file, duplicates } = outcome
    if (duplicates > 0 && choices.duplicates === 'refuse')
      throw invalid(`${duplicatesText(duplicates, file.rows)}. Say whether they are added too.`)
    const animals = file.rows - duplicates
    return { n: n?.toString() ?? null, animals, counts: null, badRows: facts?.badRows ?? 0, duplicates }
  })

  addRoute(server, 'GET /api/imports', async () => (await store.imports.list(IMPORTS_SHOWN)).map(toSent))

  const undo = (request: FastifyRequest<{ Params: { readonly n: string } }>, dryRun: boolean) =>
    inTurn(async () => {
      if (dryRun) await assertWanted(request)
      const n = parseInt64(request.params.n)
      const outcome = n === undefined ? undefined : await store.imports.undo(n, authorOf(request, clock), { dryRun })
      if (outcome === undefined) throw notFound(`${NO_IMPORT_TO_UNDO}.`)
      return outcome
    })

  addRoute(server, 'GET /api/imports/:n/undo', async (request) => {
    const preview = await undo(request, true)
    const { keptIds = [], ...rest } = preview
    const names = await store.records.names(keptIds)
    return { ...rest, changed: keptIds.map((id) => ({ id: String(id), name: names.get(id) ?? '' })) }
  })

  addRoute(server, 'POST /api/imports/:n/undo', (request) => undo(request, false))
}

function addUploading(server: FastifyInstance, uploads: Uploads, read: Read, options: OfficeOptions): void {
  const look = (request: FastifyRequest, upload: Upload) =>
    lookAt(request, upload, read, options).catch(async (error: unknown) => {
      await assertSessionValid(request)
      throw error
    })
  server.register(async (scope) => {
    await scope.register(multipart, { throwFileSizeLimit: false })
    addRoute(scope, 'POST /api/uploads', async (request) => {
      // An early refusal by the declared length; the limit itself counts bytes.
      if (Number(request.headers['content-length'] ?? 0) > UPLOAD_BYTES + FORM_BYTES) throw tooLarge()
      const upload = await receive(request, uploads).catch(async (error: unknown) => {
        // If the upload was dropped because the session ended, say that instead of "replaced".
        await assertSessionValid(request)
        if (error instanceof OfficeRefusal) throw error
        options.log.warn({ err: error }, 'an upload did not arrive')
        throw invalid('The file did not arrive whole, and nothing was imported. Choose it again.')
      })
      return look(request, upload)
    })
  })

  addRoute(server, 'GET /api/uploads', async (request) => {
    const upload = uploads.of(sessionOf(request))
    return upload === undefined ? null : look(request, upload)
  })

  addRoute(server, 'POST /api/uploads/:id', { bodyLimit: MAPPING_BYTES }, async (request) => {
    const upload = await uploadOf(request, uploads, request.params.id)
    const before = upload.mapping
    upload.mapping = request.body.mapping
    return look(request, upload).catch((error: unknown) => {
      upload.mapping = before
      throw error
    })
  })
}

const FORM_LIMITS = {
  files: 1,
  fileSize: UPLOAD_BYTES,
  fields: 4,
  fieldSize: 1_024,
  fieldNameSize: 100,
  parts: 5,
  headerPairs: 20,
  headerSize: 8_192,
} as const

/** Throws OfficeRefusal, or the parser's error for an incomplete request. */
async function receive(request: FastifyRequest, uploads: Uploads): Promise<Upload> {
  try {
    const part = await request.file({ limits: FORM_LIMITS })
    if (part === undefined) throw invalid('The request holds no file; choose one.')
    return await uploads.receive(sessionOf(request), sourceOf(part.filename), part.file)
  } finally {
    // Unread bytes would hold up the next request of the connection.
    request.raw.unpipe().resume()
  }
}

async function lookAt(
  request: FastifyRequest,
  upload: Upload,
  read: Read,
  options: OfficeOptions,
): Promise<UploadView> {
  const { id, name } = upload
  const nothing = { id, file: name, readAs: '', confirmed: null, lines: [], columns: [], notes: [] }
  const result = await read(request, upload, LOOK).catch((error: unknown) => {
    if (error instanceof UnreadableFile) return error
    return refuse(error)
  })
  if (result instanceof UnreadableFile) return { ...nothing, unreadable: result.message }
  const { look, facts, outcome, kept } = result
  if (upload.mapping === undefined) upload.layout = look.layout
  const isKept = look.by.kind === 'kept' && kept !== undefined
  const readAs = `Read as ${look.format}${look.by.kind === 'ready' ? `, as ${look.by.name} writes it` : ''}.`
  const view = {
    ...nothing,
    ...{ readAs, columns: look.columns, notes: look.notes, unreadable: null },
    confirmed: isKept ? { who: kept.who, atMs: kept.atMs } : null,
    lines: look.by.kind === 'own' ? [] : look.lines,
  }
  if (outcome === undefined || facts === undefined) return view
  const isSync = 'counts' in outcome
  const { file } = outcome
  const older = file.repeated.rows
  const skipped = [
    {
      rows: seenIn(facts) - older - file.rows - (isSync ? goneHere(outcome, result.missing) : 0),
      reason: `left the shelter${goneWords(facts)}`,
    },
    { rows: older, reason: 'older rows about one animal' },
    ...skippedKinds(facts),
  ]
  const found = {
    ...{ animals: file.rows, changes: (isSync ? outcome.changes : file.first.map(toAdded)).map(toFileChange) },
    ...{ problems: facts.problems, badRows: facts.badRows, unit: facts.unit, groups: outcome.groups.map(toSent) },
    skipped: skipped.filter(({ rows }) => rows > 0),
    newCategories: [...file.newCategories].map(([id, label]) => ({ id: id.toString(), name: brief(label) })),
    sync: isSync ? await toSyncPreview(outcome, result.missing, options) : null,
    duplicates: isSync ? 0 : outcome.duplicates,
  }
  return { ...view, found }
}

function toAdded({ name, categoryId, status }: StagedFile['first'][number]): SyncChange {
  const now = { name, categoryId, status: status ?? null }
  return { kind: 'added', id: undefined, reference: '', before: undefined, now }
}

function seenIn({ meanings }: RowFacts): number {
  return Object.entries(meanings).reduce((sum, [meaning, rows]) => sum + (meaning === 'skip' ? 0 : rows), 0)
}

/** Rows of animals that left the shelter and are here until now: the figures have them as changes. */
function goneHere({ counts, unlisted }: SyncOutcome, missing: Missing): number {
  return missing === 'remove' ? counts.removed - unlisted : counts.left
}

/** The words that say so, as in " (Deceased, Transferred)". */
function goneWords({ gone }: RowFacts): string {
  return gone.length === 0 ? '' : ` (${gone.map(({ word }) => brief(word)).join(', ')})`
}

function skippedKinds({ skipped }: RowFacts) {
  const { hidden, header, other, skip } = skipped
  return [
    { rows: hidden.rows, reason: 'hidden in the sheet' },
    { rows: header.rows, reason: 'the header row again' },
    { rows: other.rows, reason: 'totals or other lines' },
    { rows: skip.rows, reason: 'no animals, as chosen' },
  ]
}

/** Throws OfficeRefusal if it is gone; if the session has ended too, that is the reason given. */
async function uploadOf(request: FastifyRequest, uploads: Uploads, id: string): Promise<Upload> {
  const upload = uploads.find(id, sessionOf(request))
  if (upload !== undefined) return upload
  await assertSessionValid(request)
  throw uploadGone()
}

/** Throws UnreadableFile, BadRows, OfficeRefusal, StoreUnusable or StoreUnavailable. */
async function readFile(
  request: FastifyRequest,
  uploads: Uploads,
  upload: Upload,
  { skipInvalid, duplicates, agrees = false, adopts, dryRun }: ReadOptions,
  { store, clock, bodyLimit }: OfficeOptions,
): Promise<ListResult> {
  const { runList } = await import('../../animals-file/lists.ts')
  // An import goes on without its client, which finds it in the list; a look at a file does not.
  const assertGoing = () => (dryRun ? assertWanted(request) : assertSessionValid(request))
  await assertGoing()
  // It may have been imported, or become too old, while this one waited for its turn.
  await uploadOf(request, uploads, upload.id)
  try {
    return await runList(store, {
      ...{ clock, fd: upload.file.fd, source: upload.name, rowLimit: bodyLimit, by: authorOf(request, clock) },
      ...{ mapping: upload.mapping, changes: upload.layout, confirms: !dryRun, agrees, dryRun, byReference: true },
      ...{ adopts, duplicates, skipInvalid, assertWanted: assertGoing },
    })
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof OfficeRefusal) throw error
    await uploadOf(request, uploads, upload.id)
    throw error
  }
}

function refuse(error: unknown): never {
  if (error instanceof BadRows) throw invalid(`${error.message} ${error.advice}.`)
  if (error instanceof UnreadableFile) throw invalid(`${error.message} Nothing was imported.`)
  if (error instanceof BadMapping) throw invalid(error.message)
  // Another import is running, the disk is full, or the file cannot be written: the store's message says which.
  if (error instanceof StoreUnusable) throw new OfficeRefusal(503, 'unavailable', error.message)
  throw error
}

function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
