/**
 * Importing a file in the browser: upload, dry run, import, undo. One file is read at a time, since both engines allow
 * one import and each may be large.
 */
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FileChoices } from '../../animals-file/csv-report.ts'
import { BadMapping, type Mapping, readRules } from '../../animals-file/mapping.ts'
import type { AnimalsFile } from '../../animals-file/read.ts'
import { BadRows, UnreadableFile } from '../../animals-file/row.ts'
import { parseInt64 } from '../../contract/int64.ts'
import { duplicatesText } from '../../domain/file-outcome.ts'
import { NO_IMPORT_TO_UNDO } from '../../rules/changes.ts'
import { doneWord, sourceOf, UPLOAD_BYTES } from '../../rules/imports.ts'
import { consentTo } from '../../rules/sync.ts'
import type { ImportOutcome } from '../../store/imports.ts'
import { StoreUnusable } from '../../store/store.ts'
import type { SyncOutcome } from '../../store/sync.ts'
import type { FileMapping, ImportRequest, Upload as UploadView } from '../office-data.ts'
import { brief } from './animals.ts'
import { assertSynced, toSyncPreview, toValues, warningsOf } from './file-sync.ts'
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
  whileAllowed,
} from './routes.ts'
import { tooLarge, type Upload, Uploads, uploadGone } from './uploads.ts'

const IMPORTS_SHOWN = 100
/** Of those that say that an animal has left. */
const WORDS_SHOWN = 6
/** Choices for one file; the page offers fewer than half as many. */
const MAX_RULES = 250
const CHOICES_BYTES = 256 << 10

/** How a file is read. */
type Way = Omit<ImportRequest, 'upload'> & { readonly dryRun: boolean }
const LOOK: Way = { skipInvalid: true, duplicates: 'refuse', dryRun: true }

interface ReadResult {
  readonly reading: AnimalsFile
  readonly outcome: ImportOutcome | SyncOutcome | UnreadableFile
}

type Read = (request: FastifyRequest, upload: Upload, way: Way) => Promise<ReadResult>

export function addImportRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock, randomBytes } = options
  const uploads = new Uploads({ clock, randomBytes, isSessionValid: server.guard.isSessionValid })
  const inTurn = makeQueue()
  server.addHook('onClose', () => uploads.close())
  // An upload is dropped in the turn that imports it, so a request sent twice imports it once.
  const read: Read = (request, upload, way) =>
    inTurn(async () => {
      const result = await readFile(request, uploads, upload, way, options)
      if ('n' in result.outcome && result.outcome.n !== undefined) await uploads.drop(upload.id)
      return result
    })
  addUploading(server, uploads, read, options)

  addRoute(server, 'POST /api/imports', async (request) => {
    const { upload: id, ...choices } = request.body
    const upload = await uploadOf(request, uploads, id)
    const { reading, outcome } = await read(request, upload, { ...choices, dryRun: false }).catch(refuse)
    if (outcome instanceof UnreadableFile)
      throw invalid(`${outcome.what} Nothing was ${doneWord(upload.sync !== undefined)}.`)
    if ('counts' in outcome) {
      assertSynced(outcome)
      const { n, file, counts } = outcome
      return { n: n?.toString() ?? null, animals: file.rows, counts, badRows: 0, duplicates: 0 }
    }
    const { n, file, duplicates } = outcome
    if (duplicates > 0 && choices.duplicates === 'refuse')
      throw invalid(`${duplicatesText(duplicates, file.rows)}. Allow duplicates to import them all the same.`)
    const animals = file.rows - duplicates
    return { n: n?.toString() ?? null, animals, counts: null, badRows: reading.badRows, duplicates }
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
        throw invalid('The file did not arrive whole; choose it again.')
      })
      return lookAt(request, upload, read, options).catch(async (error: unknown) => {
        await assertSessionValid(request)
        throw error
      })
    })
  })

  addRoute(server, 'POST /api/uploads/:id', { bodyLimit: CHOICES_BYTES }, async (request) => {
    const upload = await uploadOf(request, uploads, request.params.id)
    upload.mapping = mappingOf(request.body.rules)
    upload.sync = request.body.sync
    upload.makesCategories = request.body.newCategories ?? false
    return lookAt(request, upload, read, options)
  })
}

/** A form with one file and little else. */
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

/** What the file holds, found by a dry run. */
async function lookAt(
  request: FastifyRequest,
  upload: Upload,
  read: Read,
  options: OfficeOptions,
): Promise<UploadView> {
  const { id, name } = upload
  const { reading, outcome } = await read(request, upload, LOOK).catch(refuse)
  const fileMapping = toFileMapping(reading.facts.choices)
  if (outcome instanceof UnreadableFile) {
    const nothing = { understood: '', notes: [], animals: 0, preview: [], problems: [], badRows: 0, duplicates: 0 }
    const none = { groups: [], gone: { rows: 0, words: [], categories: [] }, newCategories: [], sync: null }
    return { id, file: name, found: fileMapping, ...nothing, ...none, unreadable: outcome.what }
  }
  const { problems, badRows } = reading
  const { understood = '', notes: allNotes, facts } = reading
  const preview = outcome.file.first.map(toValues)
  const animals = outcome.file.rows
  const isSync = 'counts' in outcome
  const [duplicates, sync] = isSync ? [0, await toSyncPreview(outcome, options)] : [outcome.duplicates, null]
  const texts = allNotes.filter(({ isOfChoice }) => isOfChoice === undefined).map(({ text }) => text)
  const notes = isSync ? [...warningsOf(outcome), ...texts] : texts
  const file = { id, file: name, understood, notes, found: fileMapping, unreadable: null }
  const newCategories = [...outcome.file.newCategories].map(([id, label]) => ({
    id: id.toString(),
    name: brief(label),
  }))
  const { gone: goneRows, goneIn } = facts.rows
  const gone = {
    rows: goneRows.count,
    words: goneRows.all.slice(0, WORDS_SHOWN).map(({ as, lines }) => ({ word: brief(as), rows: lines.count })),
    categories: goneIn.all.filter(({ as }) => as !== '').map(({ as, lines }) => ({ id: as, rows: lines.count })),
  }
  const groups = outcome.groups.map(toSent)
  return { ...file, groups, animals, preview, problems, badRows, gone, newCategories, sync, duplicates }
}

function toFileMapping(choices: FileChoices | undefined): FileMapping | null {
  if (choices === undefined) return null
  const { name = null, categoryId = null, status = null, reference = null } = choices.columns
  const words = choices.words
    .filter(({ word }) => !word.includes('=')) // which no rule of a page can name
    .map(({ meaning = null, ...word }) => ({ ...word, meaning: meaning === 'none' ? '' : meaning }))
  return { ...choices, columns: { name, categoryId, status }, reference, words }
}

/** Throws OfficeRefusal if it is gone; if the session has ended too, that is the reason given. */
async function uploadOf(request: FastifyRequest, uploads: Uploads, id: string): Promise<Upload> {
  const upload = uploads.find(id, sessionOf(request))
  if (upload !== undefined) return upload
  await assertSessionValid(request)
  throw uploadGone()
}

/** Throws BadRows, OfficeRefusal, StoreUnusable or StoreUnavailable. */
async function readFile(
  request: FastifyRequest,
  uploads: Uploads,
  upload: Upload,
  { skipInvalid, duplicates, agrees = false, renames = false, adopts, dryRun }: Way,
  { store, clock, bodyLimit }: OfficeOptions,
): Promise<ReadResult> {
  // The words of all languages are loaded with the first file.
  const { categoriesFor } = await import('../../animals-file/categories.ts')
  const { AnimalsFile } = await import('../../animals-file/read.ts')
  // An import goes on without its client, which finds it in the list; a look at a file does not.
  const mayGoOn = () => (dryRun ? assertWanted(request) : assertSessionValid(request))
  await mayGoOn()
  // It may have been imported, or become too old, while this one waited for its turn.
  await uploadOf(request, uploads, upload.id)
  const { who, session } = authorOf(request, clock)
  const categories = await categoriesFor(store.categories, upload.makesCategories)
  const { mapping, name: source, sync } = upload
  const isSync = sync !== undefined
  const how = {
    rowLimit: bodyLimit,
    withIds: false,
    mapping,
    categories,
    source,
    isSync,
    reference: sync?.reference,
    // Skipping a bad row would make its animal look missing from the list.
    skipInvalid: skipInvalid && (dryRun || !isSync),
  }
  const reading = new AnimalsFile(uploads.read(upload), how)
  const batches = whileAllowed(reading.batches(), mayGoOn)
  const common = { by: { who, session }, source, dryRun }
  const alike = { allowDuplicates: duplicates === 'add', leaveOutDuplicates: duplicates === 'leave out' }
  const consent = { ...consentTo(agrees), renames, adopts }
  try {
    const outcome =
      sync === undefined
        ? reading.accept(await store.imports.add(batches, { ...common, ...alike, withIds: false }))
        : reading.accept(await store.sync.run(batches, { ...common, ...consent, missing: sync.missing }))
    return { reading, outcome }
  } catch (error) {
    if (error instanceof UnreadableFile) return { reading, outcome: error }
    if (error instanceof OfficeRefusal) throw error
    await uploadOf(request, uploads, upload.id)
    throw error
  }
}

function refuse(error: unknown): never {
  if (error instanceof BadRows) throw invalid(`${error.message} ${error.advice}.`)
  // Another import is running, the disk is full, or the file cannot be written: the store's message says which.
  if (error instanceof StoreUnusable) throw new OfficeRefusal(503, 'unavailable', error.message)
  throw error
}

/** The mapping of rules of `--map`. Throws OfficeRefusal. */
function mappingOf(rules: readonly string[]): Mapping {
  if (rules.length > MAX_RULES) throw invalid(`There are ${rules.length} choices, and ${MAX_RULES} are allowed.`)
  try {
    return readRules(rules)
  } catch (error) {
    throw error instanceof BadMapping ? invalid(error.message) : error
  }
}

/** Runs functions one after the other. */
function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
