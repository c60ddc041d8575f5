/**
 * Files that people have uploaded and not imported yet. Each lies in a file without a name: it is created in a private
 * folder and removed from it at once, and what is kept is the open descriptor. So nobody else can open it, and when the
 * process ends, however it ends, the system frees it. An upload belongs to the person who made it, and each person has
 * one: a newer one takes its place, whether it has arrived or not. So nobody can use up the room of the others.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Mapping, NO_MAPPING } from '../../animals-file/mapping.ts'
import { type Clock, HOUR_MS, MINUTE_MS, type Timer } from '../../common/clock.ts'
import type { RandomBytes } from '../../domain/keys.ts'
import { notFound, OfficeRefusal } from './routes.ts'

/** A million animals with ordinary names take about 30 MB; a larger file is imported by the command line. */
export const UPLOAD_BYTES = 64 << 20
/** With the size they bound the disk that uploads take: 1 GiB. Each is another person's. */
const MAX_UPLOADS = 16
const KEPT_MS = HOUR_MS
/** What is read at once is also parsed at once, in a few ms. */
const READ_BYTES = 65_536
/** How often those that are too old are looked for. */
const SWEEP_MS = MINUTE_MS

export interface Upload {
  readonly id: string
  readonly person: string
  /** Its name on the computer of that person. */
  readonly name: string
  readonly file: FileHandle
  readonly atMs: number
  /** The rules with which it was read last. */
  mapping: Mapping
}

export class Uploads {
  readonly #clock: Clock
  readonly #randomBytes: RandomBytes
  readonly #kept = new Map<string, Upload>()
  readonly #sweep: Timer
  /** What ends the receiving of a person's file, by person. */
  readonly #arriving = new Map<string, AbortController>()

  constructor({ clock, randomBytes }: { readonly clock: Clock; readonly randomBytes: RandomBytes }) {
    this.#clock = clock
    this.#randomBytes = randomBytes
    this.#sweep = clock.every(SWEEP_MS, () => this.#dropOld()).unref()
  }

  /**
   * Receives a file; of one that does not arrive whole nothing is left. Throws OfficeRefusal, or what the stream
   * throws.
   */
  async receive(person: string, name: string, bytes: Readable & { readonly truncated?: boolean }): Promise<Upload> {
    this.#dropOld()
    const ending = new AbortController()
    const { signal } = ending
    const dropped = this.dropOf(person)
    if (this.#kept.size + this.#arriving.size >= MAX_UPLOADS) {
      throw unavailable('Others are importing at the moment, as many as there is room for; try again in some minutes.')
    }
    this.#arriving.set(person, ending)
    try {
      await dropped
      const file = await openNameless()
      try {
        await pipeline(bytes, (chunks: AsyncIterable<Buffer>) => writeAll(chunks, file), { signal })
        signal.throwIfAborted() // between its last byte and now
        if (bytes.truncated) throw tooLarge()
        const id = this.#randomBytes(16).toString('hex')
        const upload = { id, person, name, file, atMs: this.#clock.now(), mapping: NO_MAPPING }
        this.#kept.set(id, upload)
        return upload
      } catch (error) {
        await file.close()
        throw error
      }
    } catch (error) {
      if (signal.aborted) throw noUpload()
      throw isOfDisk(error) ? unavailable(`The server cannot keep the file (${error.code}); nothing was kept.`) : error
    } finally {
      if (this.#arriving.get(person) === ending) this.#arriving.delete(person)
    }
  }

  /** The upload of this person; undefined if there is none, or it is too old. */
  find(id: string, person: string): Upload | undefined {
    this.#dropOld()
    const upload = this.#kept.get(id)
    return upload?.person === person ? upload : undefined
  }

  /** Its bytes, from the beginning. Fails if the upload is dropped meanwhile. */
  async *read({ file }: Upload): AsyncIterable<Buffer> {
    for (let position = 0; ; ) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }

  async drop(id: string): Promise<void> {
    const upload = this.#kept.get(id)
    this.#kept.delete(id)
    await upload?.file.close()
  }

  /**
   * Releases what this person has uploaded, or is uploading: for the end of a session, and for a person who is put out.
   */
  async dropOf(person: string): Promise<void> {
    this.#arriving.get(person)?.abort()
    this.#arriving.delete(person)
    const mine = [...this.#kept.values()].filter((upload) => upload.person === person)
    await Promise.all(mine.map(({ id }) => this.drop(id)))
  }

  async close(): Promise<void> {
    this.#clock.cancel(this.#sweep)
    for (const ending of this.#arriving.values()) ending.abort()
    for (const id of [...this.#kept.keys()]) await this.drop(id)
  }

  #dropOld(): void {
    const nowMs = this.#clock.now()
    for (const { id, atMs } of this.#kept.values()) {
      // A clock that has been set back keeps nothing for ever.
      if (Math.abs(nowMs - atMs) >= KEPT_MS) this.drop(id).catch(() => {})
    }
  }
}

async function writeAll(chunks: AsyncIterable<Buffer>, file: FileHandle): Promise<void> {
  for await (const chunk of chunks) await file.writeFile(chunk)
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-upload-')) // of mode 0700
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function tooLarge(): OfficeRefusal {
  const message = `The file is larger than ${UPLOAD_BYTES >> 20} MiB; split it, or import it on the server with \`pets import\`.`
  return new OfficeRefusal(413, 'invalid', message)
}

export function noUpload(): OfficeRefusal {
  const why = 'it was imported, you chose another one since, or it was uploaded over an hour ago'
  return notFound(`The file is no longer here: ${why}. Choose it again.`)
}

function unavailable(message: string): OfficeRefusal {
  return new OfficeRefusal(503, 'unavailable', message)
}

/** A full disk, say, or a folder for temporary files that is not there. */
function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined
  return typeof syscall === 'string' && ['mkdtemp', 'open', 'write', 'writev'].includes(syscall)
}
