/**
 * Files that people have uploaded and not imported yet. Each lies in a file without a name: it is created in a private folder and
 * removed from it at once, and what is kept is the open descriptor. So nobody else can open it, and when the process ends, however
 * it ends, the system frees it. An upload belongs to the person who made it.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Mapping, NO_MAPPING } from '../../animals-file/mapping.ts'
import type { Clock } from '../../common/clock.ts'
import type { RandomBytes } from '../../domain/keys.ts'
import { OfficeRefusal } from './routes.ts'

/** A million animals with ordinary names take about 30 MB; a larger file is imported by the command line. */
export const UPLOAD_BYTES = 64 << 20
/** With the size they bound the disk that uploads take: 1 GiB. */
const MOST_UPLOADS = 16
/** A further upload of one person takes the place of the oldest one. */
const MOST_PER_PERSON = 4
const KEPT_MS = 3_600_000
/** How often those that are too old are looked for. */
const SWEEP_MS = 60_000
/** An upload that takes longer is given up: somebody has closed the computer, or sends a byte now and then. */
const RECEIVE_MS = 600_000

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
  readonly #sweep: NodeJS.Timeout
  readonly #closing = new AbortController()
  #arriving = 0

  constructor({ clock, randomBytes }: { readonly clock: Clock; readonly randomBytes: RandomBytes }) {
    this.#clock = clock
    this.#randomBytes = randomBytes
    this.#sweep = setInterval(() => this.#dropOld(), SWEEP_MS).unref()
  }

  /** Receives a file; of one that does not arrive whole nothing is left. Throws OfficeRefusal, or what the stream throws. */
  async receive(person: string, name: string, bytes: Readable & { readonly truncated?: boolean }): Promise<Upload> {
    this.#dropOld()
    const mine = [...this.#kept.values()].filter((upload) => upload.person === person)
    for (const { id } of mine.slice(0, Math.max(0, mine.length + 1 - MOST_PER_PERSON))) await this.drop(id)
    if (this.#kept.size + this.#arriving >= MOST_UPLOADS) {
      throw unavailable('Others are importing at the moment, as many as there is room for; try again in some minutes.')
    }
    this.#arriving += 1
    try {
      const file = await openNameless()
      try {
        const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(RECEIVE_MS)])
        await pipeline(bytes, file.createWriteStream({ autoClose: false }), { signal })
        if (bytes.truncated) throw tooLarge()
        const id = this.#randomBytes(16).toString('hex')
        const upload = { id, person, name, file, atMs: this.#clock(), mapping: NO_MAPPING }
        this.#kept.set(id, upload)
        return upload
      } catch (error) {
        await file.close()
        throw error
      }
    } catch (error) {
      throw isFull(error) ? unavailable('The server has no room for the file; nothing of it was kept.') : error
    } finally {
      this.#arriving -= 1
    }
  }

  /** The upload of this person; undefined if there is none, or it is too old. */
  find(id: string, person: string): Upload | undefined {
    this.#dropOld()
    const upload = this.#kept.get(id)
    return upload?.person === person ? upload : undefined
  }

  /** Its bytes, from the beginning. */
  read({ file }: Upload): Readable {
    return file.createReadStream({ start: 0, autoClose: false })
  }

  async drop(id: string): Promise<void> {
    const upload = this.#kept.get(id)
    this.#kept.delete(id)
    await upload?.file.close()
  }

  /** Forgets what this person has uploaded. */
  async dropOf(person: string): Promise<void> {
    for (const upload of [...this.#kept.values()]) if (upload.person === person) await this.drop(upload.id)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#closing.abort()
    for (const id of [...this.#kept.keys()]) await this.drop(id)
  }

  #dropOld(): void {
    const nowMs = this.#clock()
    for (const { id, atMs } of this.#kept.values()) {
      // A clock that has been set back keeps nothing for ever.
      if (Math.abs(nowMs - atMs) >= KEPT_MS) this.drop(id).catch(() => {})
    }
  }
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

function unavailable(message: string): OfficeRefusal {
  return new OfficeRefusal(503, 'unavailable', message)
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(String(error.code))
  )
}
