/**
 * Importing a file in the browser: upload, dry run, import, undo. One file is read at a time, since both engines allow
 * one import and each may be large.
 */
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRows, FileImport } from '../../animals-file/import.ts'
import { BadMapping, type Mapping, NO_MAPPING, readMapping } from '../../animals-file/mapping.ts'
import { AnimalsFile } from '../../animals-file/read.ts'
import { UnreadableFile } from '../../animals-file/row.ts'
import type { Clock } from '../../common/clock.ts'
import { parseInt64 } from '../../contract/int64.ts'
import type { ImportOutcome } from '../../store/imports.ts'
import type { Author } from '../../store/records.ts'
import { StoreUnusable } from '../../store/store.ts'
import type { ImportRequest, ImportResult, ImportSummary, Upload as UploadView } from '../office-data.ts'
import { brief } from './animals.ts'
import { FORM_BYTES } from './bodies.ts'
import { type ByName, REVOKE_PATH } from './people-routes.ts'
import {
  assertSession,
  authorOf,
  invalid,
  notFound,
  type OfficeOptions,
  OfficeRefusal,
  required,
  TEXT,
  whileAllowed,
} from './routes.ts'
import { noUpload, tooLarge, UPLOAD_BYTES, type Upload, Uploads } from './uploads.ts'

const IMPORTS_SHOWN = 100
/** In UTF-16 units. A file's name is shown, and stored with the import. */
const MAX_FILE_NAME_LENGTH = 200
/** In UTF-16 units, each of which may be written as \uXXXX. */
const MAX_MAPPING_LENGTH = 10_000
const MAPPING_BYTES = 6 * MAX_MAPPING_LENGTH + 1_024
const MAPPING = required({ mapping: { type: 'string', maxLength: MAX_MAPPING_LENGTH } })
const FLAG = { type: 'boolean' } as const
const IMPORT = required({ upload: TEXT, skipInvalid: FLAG, allowDuplicates: FLAG })
const FOR_MANAGERS = { config: { role: 'manager' } } as const

/** Who asks, and a check that they still may, to be made after each wait and between the pieces of a file. */
interface Asking {
  readonly by: Author
  /** Throws OfficeRefusal. */
  readonly mayGoOn: () => Promise<void>
}

interface Way extends Asking {
  readonly skipInvalid: boolean
  readonly allowDuplicates: boolean
  readonly dryRun: boolean
}

export function addImportRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock } = options
  const uploads = new Uploads(options)
  const inTurn = makeTurns()
  server.addHook('onClose', () => uploads.close())
  // An upload is of no use after signing out, or to a person who was revoked.
  server.addHook('onResponse', async ({ method, routeOptions, params, person }, { statusCode }) => {
    const isOver = statusCode === 401 || (method === 'DELETE' && routeOptions.url === '/api/session')
    if (isOver && person) await uploads.dropOf(person.name)
    if (statusCode === 200 && routeOptions.url === REVOKE_PATH) await uploads.dropOf((params as ByName['Params']).name)
  })
  // An upload is dropped in the turn that imports it, so a request sent twice imports it once.
  const read = (upload: Upload, way: Way) =>
    inTurn(async () => {
      const result = await readFile(uploads, upload, way, options)
      if (result.outcome.n !== undefined) await uploads.drop(upload.id)
      return result
    })
  addUploading(server, uploads, (upload, asking) => lookAt(upload, asking, read), options)

  server.post<{ Body: ImportRequest }>(
    '/api/imports',
    { ...FOR_MANAGERS, schema: { body: IMPORT } },
    async (request): Promise<ImportResult> => {
      const { upload: id, ...way } = request.body
      const asking = askingIn(request, clock)
      const upload = uploads.find(id, asking.by.who)
      if (upload === undefined) return gone(asking)
      const { reading, outcome } = await read(upload, { ...way, ...asking, dryRun: false }).catch(refuse)
      const n = importedAs(outcome)
      return { n: n.toString(), animals: outcome.animals, skipped: reading.badRows }
    },
  )

  server.get('/api/imports', FOR_MANAGERS, async (): Promise<ImportSummary[]> => {
    const found = await store.imports.list(IMPORTS_SHOWN)
    return found.map(({ n, undoneAtMs, ...rest }) => ({ ...rest, n: n.toString(), undoneAtMs: undoneAtMs ?? null }))
  })

  server.post<{ Params: { readonly n: string } }>('/api/imports/:n/undo', FOR_MANAGERS, async (request) => {
    const n = parseInt64(request.params.n)
    const by = authorOf(request, clock)
    const undone = n === undefined ? undefined : await inTurn(() => store.imports.undo(n, by))
    if (undone === undefined) throw notFound('There is no such import, or it is already undone.')
    return undone
  })
}

function addUploading(
  server: FastifyInstance,
  uploads: Uploads,
  look: (upload: Upload, asking: Asking) => Promise<UploadView>,
  { clock, log }: OfficeOptions,
): void {
  server.register(async (scope) => {
    await scope.register(multipart, { throwFileSizeLimit: false })
    scope.post(
      '/api/uploads',
      { config: { role: 'manager', takesFile: true } },
      async (request): Promise<UploadView> => {
        const asking = askingIn(request, clock)
        // An early refusal by the declared length; the limit itself counts bytes.
        if (Number(request.headers['content-length'] ?? 0) > UPLOAD_BYTES + FORM_BYTES) throw tooLarge()
        const upload = await receive(request, uploads, asking.by.who).catch(async (error: unknown) => {
          // If the upload was dropped because the session ended, say that instead of "replaced".
          await assertSession(request)
          if (error instanceof OfficeRefusal) throw error
          log.warn({ err: error }, 'an upload did not arrive')
          throw invalid('The file did not arrive whole; choose it again.')
        })
        return look(upload, asking).catch(async (error: unknown) => {
          await assertSession(request)
          throw error
        })
      },
    )
  })

  server.post<{ Params: { readonly id: string }; Body: { readonly mapping: string } }>(
    '/api/uploads/:id',
    { ...FOR_MANAGERS, schema: { body: MAPPING }, bodyLimit: MAPPING_BYTES },
    async (request): Promise<UploadView> => {
      const asking = askingIn(request, clock)
      const upload = uploads.find(request.params.id, asking.by.who)
      if (upload === undefined) return gone(asking)
      upload.mapping = mappingOf(request.body.mapping)
      return look(upload, asking)
    },
  )
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
async function receive(request: FastifyRequest, uploads: Uploads, person: string): Promise<Upload> {
  try {
    const part = await request.file({ limits: FORM_LIMITS })
    if (part === undefined) throw invalid('The request holds no file; choose one.')
    return await uploads.receive(person, fileName(part.filename), part.file)
  } finally {
    // Unread bytes would hold up the next request of the connection.
    request.raw.unpipe().resume()
  }
}

/** What the file holds, found by a dry run. */
async function lookAt(
  upload: Upload,
  asking: Asking,
  read: (upload: Upload, way: Way) => ReturnType<typeof readFile>,
): Promise<UploadView> {
  const { id, name: file } = upload
  try {
    const way = { ...asking, skipInvalid: true, allowDuplicates: false, dryRun: true }
    const { reading, outcome } = await read(upload, way)
    const { understood = '', problems, badRows } = reading
    const preview = reading.preview.map(({ name, categoryId, status }) => {
      return { name: brief(name), categoryId: categoryId.toString(), status: status ?? null }
    })
    const { animals, duplicates } = outcome
    return { id, file, understood, animals, preview, problems, badRows, duplicates, unreadable: null }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) return refuse(error)
    const nothing = { understood: '', animals: 0, preview: [], problems: [], badRows: 0, duplicates: 0 }
    return { id, file, ...nothing, unreadable: error.what }
  }
}

/** Refuses a request for an upload that is gone; if its session has ended too, that is the reason given. */
async function gone({ mayGoOn }: Pick<Asking, 'mayGoOn'>): Promise<never> {
  await mayGoOn()
  throw noUpload()
}

/** Throws UnreadableFile, BadRows, StoreUnusable or StoreUnavailable. */
async function readFile(
  uploads: Uploads,
  upload: Upload,
  { by, mayGoOn, skipInvalid, allowDuplicates, dryRun }: Way,
  { store, bodyLimit }: OfficeOptions,
): Promise<{ reading: FileImport; outcome: ImportOutcome }> {
  await mayGoOn()
  const isThere = () => uploads.find(upload.id, upload.person) === upload
  if (!isThere()) return gone({ mayGoOn }) // imported, or too old, while this one waited for its turn
  const file = new AnimalsFile(uploads.read(upload), { rowLimit: bodyLimit, withIds: false, mapping: upload.mapping })
  const reading = new FileImport(file, { skipInvalid })
  const importing = { by, source: upload.name, withIds: false, allowDuplicates, dryRun }
  try {
    return { reading, outcome: await store.imports.add(whileAllowed(reading.batches(), mayGoOn), importing) }
  } catch (error) {
    if (error instanceof OfficeRefusal || isThere()) throw error
    return gone({ mayGoOn })
  }
}

function askingIn(request: FastifyRequest, clock: Clock): Asking {
  return { by: authorOf(request, clock), mayGoOn: () => assertSession(request) }
}

/** The number of the import. Throws OfficeRefusal if nothing was imported. */
function importedAs({ n, animals, duplicates }: ImportOutcome): bigint {
  if (n !== undefined) return n
  if (duplicates === 0) throw invalid('The file holds no animal; nothing was imported.')
  const what = `${duplicates} of ${animals} look like animals that are already here`
  throw invalid(`${what}; nothing was imported. Allow duplicates to import them all the same.`)
}

function refuse(error: unknown): never {
  if (error instanceof UnreadableFile) throw invalid(`Nothing was imported: ${error.what}`)
  if (error instanceof BadRows) {
    throw invalid(`Nothing was imported: ${error.message}. Correct them, or leave them out.`)
  }
  // Another import is running, the disk is full, or the file cannot be written: the store's message says which.
  if (error instanceof StoreUnusable) throw new OfficeRefusal(503, 'unavailable', error.message)
  throw error
}

/** The rules of `--map`; an empty text has none. Throws OfficeRefusal. */
function mappingOf(text: string): Mapping {
  if (text.trim() === '') return NO_MAPPING
  try {
    return readMapping(text)
  } catch (error) {
    throw error instanceof BadMapping ? invalid(error.message) : error
  }
}

function fileName(sent: string): string {
  const name = sent
    .replace(/^.*[\\/]/s, '')
    .replaceAll('\0', '')
    .toWellFormed()
  return [...name].slice(0, MAX_FILE_NAME_LENGTH).join('') || 'a file'
}

/** Runs functions one after the other. */
function makeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
