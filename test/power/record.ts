/**
 * A record of what processes did to the files of one folder, in order, with what the test acknowledged between:
 * record.c writes it, loaded before the C library of every process that has `env`. A mark of the test is appended to
 * the same log.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'

const compiler = findProgram('cc')

/** For `test({ ...recordNeeded })`. */
export const recordNeeded = skipUnless(
  compiler !== undefined && process.platform === 'linux',
  'a record of writes needs Linux and a C compiler; install cc',
)

/** `offset` is where the record begins in the log, in bytes: records are in the order of what they tell. */
export type Entry = { readonly offset: number } & (
  | { readonly kind: 'create'; readonly inode: number; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'write'; readonly inode: number; readonly at: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly inode: number; readonly length: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  /** Covers what is in the log before `begun`: what was under way meanwhile may have come too late. */
  | { readonly kind: 'sync'; readonly inode: number; readonly begun: number; readonly path: string }
  | { readonly kind: 'mark'; readonly mark: unknown }
  /** A folder that is there from now on, whatever happens. */
  | { readonly kind: 'given'; readonly path: string }
)

/** The kinds of record.c by number, and what only the test writes. */
const KINDS = [
  '',
  'create',
  'folder',
  'write',
  'truncate',
  'rename',
  'link',
  'unlink',
  'sync',
  'mark',
  'given',
] as const
const HEAD = 32

export class Recording implements Disposable {
  /** Of the processes that are recorded. */
  readonly env: Readonly<Record<string, string>>
  /** The folder whose files are recorded; it is there from the start, and empty. */
  readonly folder: string
  readonly #path: string
  readonly #log: number

  constructor() {
    const folder = realpathSync(temporaryFolder())
    this.folder = join(folder, 'disk')
    mkdirSync(this.folder)
    this.#path = join(folder, 'log')
    this.#log = openSync(this.#path, 'a')
    this.env = { LD_PRELOAD: library(), PETS_TEST_RECORD_LOG: this.#path, PETS_TEST_RECORD_FOLDER: this.folder }
  }

  /** What is known from here on: everything that the record has by now had happened before. */
  mark(mark: unknown): void {
    this.#append('mark', JSON.stringify(mark))
  }

  /** Makes a folder that no failure takes away: somebody made it long ago. */
  give(name: string): void {
    mkdirSync(join(this.folder, name))
    this.#append('given', join(this.folder, name))
  }

  #append(kind: 'mark' | 'given', text: string): void {
    const data = Buffer.from(text)
    const head = Buffer.alloc(HEAD)
    head.writeUInt32LE(HEAD + data.length, 0)
    head.writeUInt32LE(KINDS.indexOf(kind), 4)
    writeSync(this.#log, Buffer.concat([head, data]))
  }

  entries(): readonly Entry[] {
    const log = readFileSync(this.#path)
    const entries: Entry[] = []
    for (let offset = 0; offset < log.length; offset += log.readUInt32LE(offset)) entries.push(entryAt(log, offset))
    return entries
  }

  [Symbol.dispose](): void {
    closeSync(this.#log)
  }
}

function entryAt(log: Buffer, offset: number): Entry {
  const kind = KINDS[log.readUInt32LE(offset + 4)]
  const inode = Number(log.readBigUInt64LE(offset + 8))
  const at = Number(log.readBigUInt64LE(offset + 16))
  const from = offset + HEAD
  const between = from + log.readUInt32LE(offset + 24)
  const to = between + log.readUInt32LE(offset + 28)
  const [path, second] = [log.toString('utf8', from, between), log.toString('utf8', between, to)]
  const data = log.subarray(to, offset + log.readUInt32LE(offset))
  if (kind === 'create') return { kind, offset, inode, path }
  if (kind === 'folder' || kind === 'unlink') return { kind, offset, path }
  if (kind === 'write') return { kind, offset, inode, at, data }
  if (kind === 'truncate') return { kind, offset, inode, length: at }
  if (kind === 'rename' || kind === 'link') return { kind, offset, from: path, to: second }
  if (kind === 'sync') return { kind, offset, inode, begun: at, path }
  if (kind === 'mark') return { kind, offset, mark: JSON.parse(data.toString()) }
  if (kind === 'given') return { kind, offset, path: data.toString() }
  throw new Error(`the record is broken at byte ${offset}`)
}

let built: string | undefined

function library(): string {
  if (compiler === undefined) throw new Error(String(recordNeeded.skip))
  if (built !== undefined) return built
  const path = join(temporaryFolder(), 'record.so')
  const flags = ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', path]
  execFileSync(compiler, [...flags, join(import.meta.dirname, 'record.c'), '-ldl'], { timeout: 60_000 })
  built = path
  return path
}
