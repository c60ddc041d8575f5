/**
 * The states that a power failure may leave a disk in, rebuilt from a record. What was synced is there. Of what was
 * written to a file since, any part may be, in sectors of 512 bytes; of the names of a folder that came and went since
 * its own sync, any first ones, in order: a file system keeps no order between files and folders that nobody has
 * synced.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Entry } from './record.ts'

/** A disk writes as much at a time, whole. */
const SECTOR = 512

/** What of the unsynced is there: `some` is a prefix for one file, and torn sectors for the next. */
export const MODES = ['nothing', 'all', 'some'] as const
export type Mode = (typeof MODES)[number]

/** From 0 to 1. */
export type Random = () => number

type Change = { readonly offset: number } & (
  | { readonly at: number; readonly data: Buffer }
  | { readonly length: number }
)

class DiskFile {
  #synced: Buffer = Buffer.alloc(0)
  #pending: Change[] = []

  note(change: Change): void {
    this.#pending.push(change)
  }

  sync(begun: number): void {
    const covered = this.#pending.filter(({ offset }) => offset < begun)
    if (covered.length > 0) this.#synced = changed(this.#synced, covered)
    this.#pending = this.#pending.filter(({ offset }) => offset >= begun)
  }

  content(mode: Mode, random: Random): Buffer {
    if (mode === 'nothing' || this.#pending.length === 0) return this.#synced
    return changed(this.#synced, this.#some(mode, random))
  }

  #some(mode: Mode, random: Random): readonly Change[] {
    if (mode === 'all') return this.#pending
    if (random() < 0.5) return this.#pending.slice(0, Math.floor(random() * (this.#pending.length + 1)))
    return this.#pending.flatMap((change) => torn(change, random))
  }
}

/** A copy of `content` with the changes, in their order. */
function changed(content: Buffer, changes: readonly Change[]): Buffer {
  const ends = changes.map((change) => ('length' in change ? change.length : change.at + change.data.length))
  const copy = Buffer.alloc(Math.max(content.length, ...ends))
  content.copy(copy)
  let length = content.length
  for (const change of changes) {
    if ('length' in change) {
      copy.fill(0, Math.min(length, change.length))
      length = change.length
    } else {
      change.data.copy(copy, change.at)
      length = Math.max(length, change.at + change.data.length)
    }
  }
  return copy.subarray(0, length)
}

function torn(change: Change, random: Random): Change[] {
  if ('length' in change) return random() < 0.5 ? [change] : []
  const { offset, at, data } = change
  const parts: Change[] = []
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + SECTOR - ((at + from) % SECTOR))
    if (random() < 0.5) parts.push({ offset, at: at + from, data: data.subarray(from, to) })
    from = to
  }
  return parts
}

/** The names that one act gives or takes, all or none. */
interface Renaming {
  readonly offset: number
  readonly names: readonly (readonly [name: string, what: DiskFile | Folder | undefined])[]
}

class Folder {
  readonly #synced = new Map<string, DiskFile | Folder>()
  #pending: Renaming[] = []

  note(offset: number, ...names: Renaming['names']): void {
    this.#pending.push({ offset, names })
  }

  sync(begun: number): void {
    rename(
      this.#synced,
      this.#pending.filter(({ offset }) => offset < begun),
    )
    this.#pending = this.#pending.filter(({ offset }) => offset >= begun)
  }

  content(mode: Mode, random: Random): ReadonlyMap<string, DiskFile | Folder> {
    const count = mode === 'nothing' ? 0 : mode === 'all' ? Infinity : Math.floor(random() * (this.#pending.length + 1))
    return rename(new Map(this.#synced), this.#pending.slice(0, count))
  }
}

function rename(content: Map<string, DiskFile | Folder>, renamings: readonly Renaming[]) {
  for (const [name, what] of renamings.flatMap(({ names }) => names)) {
    if (what === undefined) content.delete(name)
    else content.set(name, what)
  }
  return content
}

/** A disk that follows a record, entry by entry, and can lose its power at any of them. */
export class Disk {
  readonly #root: Folder
  /** By path, as the processes see them; a file that nobody has by name may be open still. */
  readonly #names = new Map<string, DiskFile | Folder>()
  readonly #inodes = new Map<number, DiskFile>()

  /** `folder` is the one that was recorded: it was empty, and is there whatever happens. */
  constructor(folder: string) {
    this.#root = new Folder()
    this.#names.set(folder, this.#root)
  }

  take(entry: Entry): void {
    const { kind, offset } = entry
    if (kind === 'create') {
      const file = new DiskFile()
      this.#inodes.set(entry.inode, file)
      this.#name(offset, [entry.path, file])
    } else if (kind === 'folder') this.#name(offset, [entry.path, new Folder()])
    else if (kind === 'given') {
      this.#name(offset, [entry.path, new Folder()])
      this.#folder(dirname(entry.path)).sync(Infinity)
    } else if (kind === 'write') this.#file(entry.inode).note(entry)
    else if (kind === 'truncate') this.#file(entry.inode).note(entry)
    else if (kind === 'link') this.#name(offset, [entry.to, this.#named(entry.from)])
    else if (kind === 'rename') this.#name(offset, [entry.from, undefined], [entry.to, this.#named(entry.from)])
    else if (kind === 'unlink') this.#name(offset, [entry.path, undefined])
    else if (kind === 'sync') {
      const named = this.#names.get(entry.path)
      const synced = named instanceof Folder ? named : this.#file(entry.inode)
      synced.sync(entry.begun)
    }
  }

  /** Writes one of the states that the disk may be in after a failure here into the new folder `into`. */
  fail(into: string, mode: Mode, random: Random): void {
    write(into, this.#root, mode, random)
  }

  #file(inode: number): DiskFile {
    const file = this.#inodes.get(inode)
    if (file === undefined) throw new Error(`no file has the inode ${inode}`)
    return file
  }

  #named(path: string): DiskFile | Folder {
    const named = this.#names.get(path)
    if (named === undefined) throw new Error(`there is no ${path}`)
    return named
  }

  #folder(path: string): Folder {
    const folder = this.#named(path)
    if (!(folder instanceof Folder)) throw new Error(`${path} is no folder`)
    return folder
  }

  #name(offset: number, ...paths: readonly (readonly [path: string, what: DiskFile | Folder | undefined])[]): void {
    const parents = new Set(paths.map(([path]) => dirname(path)))
    for (const parent of parents) {
      const names = paths.filter(([path]) => dirname(path) === parent)
      this.#folder(parent).note(offset, ...names.map(([path, what]) => [basename(path), what] as const))
    }
    for (const [path, what] of paths) {
      if (what === undefined) this.#names.delete(path)
      else this.#names.set(path, what)
    }
  }
}

function write(into: string, folder: Folder, mode: Mode, random: Random): void {
  mkdirSync(into, { mode: 0o700 })
  for (const [name, what] of folder.content(mode, random)) {
    const path = join(into, name)
    if (what instanceof Folder) write(path, what, mode, random)
    else writeFileSync(path, what.content(mode, random), { mode: 0o600 })
  }
}
