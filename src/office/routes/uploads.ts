/**
 * Files uploaded and not imported yet. Each is unlinked immediately, so no other user can open it, and the system frees
 * it however the process ends. A person has one, which a newer one replaces, so that nobody takes the room of others.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Clock, HOUR_MS, MINUTE_MS, type Timer } from '../../common/clock.ts'
import type { RandomBytes } from '../../domain/keys.ts'
import type { OpenSession } from '../../domain/sign-in.ts'
import { TOO_LARGE } from '../../rules/imports.ts'
import { notFound, OfficeRefusal } from './refusals.ts'

/** Uploads at a time, each of another person. With their size this bounds the disk used to 1 GiB. */
const MAX_UPLOADS = 16
const KEPT_MS = HOUR_MS
/** How often uploads are looked for that are old, or whose session has ended, in ms. */
const SWEEP_MS = MINUTE_MS

export interface Upload {
  readonly id: string
  readonly session: OpenSession
  readonly name: string
  readonly file: FileHandle
  readonly atMs: number
  mapping?: string | undefined
  /** The kept layout by which it was read at first, which this mapping changes. */
  layout?: bigint | undefined
}

interface UploadOptions {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly isSessionValid: (session: OpenSession) => Promise<boolean>
}

export class Uploads {
  readonly #options: UploadOptions
  readonly #uploads = new Map<string, Upload>()
  readonly #sweep: Timer
  readonly #arriving = new Map<bigint, AbortController>()

  constructor(options: UploadOptions) {
    this.#options = options
    this.#sweep = options.clock.every(SWEEP_MS, () => void this.#dropEnded()).unref()
  }

  /** Stores a file; of an incomplete one nothing is left. Throws OfficeRefusal, or what the stream throws. */
  async receive(
    session: OpenSession,
    name: string,
    bytes: Readable & { readonly truncated?: boolean },
  ): Promise<Upload> {
    this.#dropOld()
    const ending = new AbortController()
    const owner = session.person.n
    const { signal } = ending
    const dropped = this.#dropOfPerson(owner)
    if (this.#uploads.size + this.#arriving.size >= MAX_UPLOADS)
      throw unavailable('Others are importing at the moment, as many as there is room for; try again in some minutes.')
    this.#arriving.set(owner, ending)
    try {
      await dropped
      const file = await openUnlinked()
      try {
        await pipeline(bytes, (chunks: AsyncIterable<Buffer>) => writeAll(chunks, file), { signal })
        signal.throwIfAborted() // between its last byte and now
        if (bytes.truncated) throw tooLarge()
        const id = this.#options.randomBytes(16).toString('hex')
        const upload = { id, session, name, file, atMs: this.#options.clock.now() }
        this.#uploads.set(id, upload)
        return upload
      } catch (error) {
        await file.close()
        throw error
      }
    } catch (error) {
      if (signal.aborted) throw uploadGone()
      throw isOfDisk(error) ? unavailable(`The server cannot keep the file (${error.code}); nothing was kept.`) : error
    } finally {
      if (this.#arriving.get(owner) === ending) this.#arriving.delete(owner)
    }
  }

  find(id: string, session: OpenSession): Upload | undefined {
    const upload = this.of(session)
    return upload?.id === id ? upload : undefined
  }

  of(session: OpenSession): Upload | undefined {
    this.#dropOld()
    return [...this.#uploads.values()].find((upload) => upload.session.person.n === session.person.n)
  }

  async drop(id: string): Promise<void> {
    const upload = this.#uploads.get(id)
    this.#uploads.delete(id)
    await upload?.file.close()
  }

  async close(): Promise<void> {
    this.#options.clock.cancel(this.#sweep)
    for (const ending of this.#arriving.values()) ending.abort()
    for (const id of [...this.#uploads.keys()]) await this.drop(id)
  }

  async #dropOfPerson(owner: bigint): Promise<void> {
    this.#arriving.get(owner)?.abort()
    this.#arriving.delete(owner)
    const mine = [...this.#uploads.values()].filter(({ session }) => session.person.n === owner)
    await Promise.all(mine.map(({ id }) => this.drop(id)))
  }

  /** Keeps uploads whose session cannot be checked because the database does not respond. */
  async #dropEnded(): Promise<void> {
    this.#dropOld()
    for (const { id, session } of this.#uploads.values()) {
      const isValid = await this.#options.isSessionValid(session).catch(() => true)
      if (!isValid) await this.drop(id).catch(() => {})
    }
  }

  #dropOld(): void {
    const nowMs = this.#options.clock.now()
    for (const { id, atMs } of this.#uploads.values()) {
      // A clock set back must not keep an upload for ever.
      if (Math.abs(nowMs - atMs) >= KEPT_MS) this.drop(id).catch(() => {})
    }
  }
}

async function writeAll(chunks: AsyncIterable<Buffer>, file: FileHandle): Promise<void> {
  for await (const chunk of chunks) await file.writeFile(chunk)
}

async function openUnlinked(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-upload-')) // of mode 0700
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function tooLarge(): OfficeRefusal {
  return new OfficeRefusal(413, 'invalid', TOO_LARGE)
}

export function uploadGone(): OfficeRefusal {
  const why = 'it was imported, you chose another one since, or it was uploaded over an hour ago'
  return notFound(`The file is no longer here: ${why}. Choose it again.`)
}

function unavailable(message: string): OfficeRefusal {
  return new OfficeRefusal(503, 'unavailable', message)
}

function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined
  return typeof syscall === 'string' && ['mkdtemp', 'open', 'write', 'writev'].includes(syscall)
}
