/** A slow or failing disk for one process: disk.c is loaded before the C library, which SQLite and Node call by name. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../folder.ts'
import { findProgram, skipUnless } from '../programs.ts'

const compiler = findProgram('cc')

export const diskNeeded = skipUnless(
  compiler !== undefined && process.platform === 'linux',
  'a failing disk needs Linux and a C compiler; install cc',
)

/** Shell patterns of whole paths; `*` also matches `/`. */
const DATABASE_FILES = ['*.db', '*.db-wal']

/** The layout of `struct control` in disk.c, eight bytes each. */
const FIELDS = ['delayMs', 'reads', 'writes', 'syncs', 'error', 'seed', 'failedReads', 'failedWrites', 'failedSyncs']

export interface DiskFaults {
  /** How likely a call fails, from 0 to 1. A failed write wrote its first half. */
  readonly reads?: number
  readonly writes?: number
  readonly syncs?: number
  /** What a failed write or sync reports; a failed read always reports EIO. */
  readonly error?: 'EIO' | 'ENOSPC'
}

export type FaultyDisk = ReturnType<typeof startFaultyDisk>

let library: string | undefined

/** With `unmapped`, files are not mapped: reads of mapped files never fail. `files` are shell patterns of paths. */
export function startFaultyDisk(options: { files?: readonly string[]; delayMs?: number; unmapped?: boolean } = {}) {
  library ??= build()
  const path = join(temporaryFolder(), 'control')
  const file = openSync(path, 'w+')
  const set = (name: string, value: number) =>
    writeSync(file, new Float64Array([value]), 0, 8, FIELDS.indexOf(name) * 8)
  for (const field of FIELDS) set(field, 0)
  set('delayMs', options.delayMs ?? 0)
  set('seed', 1)
  const read = (name: string) => {
    const value = new BigUint64Array(1)
    readSync(file, value, 0, 8, FIELDS.indexOf(name) * 8)
    return Number(value[0])
  }
  return {
    /** The environment of the process with this disk, and of its children. */
    env: {
      LD_PRELOAD: library,
      PETS_TEST_DISK_CONTROL: path,
      PETS_TEST_DISK_FILES: (options.files ?? DATABASE_FILES).join(':'),
      ...(options.unmapped === true && { PETS_TEST_DISK_UNMAPPED: '1' }),
    },
    /** How much longer each sync takes from now on. */
    delay: (ms: number) => void set('delayMs', ms),
    /** `fail({})` ends all failures. */
    fail({ reads = 0, writes = 0, syncs = 0, error = 'EIO' }: DiskFaults) {
      set('error', constants.errno[error])
      set('reads', reads)
      set('writes', writes)
      set('syncs', syncs)
    },
    failed: () => ({ reads: read('failedReads'), writes: read('failedWrites'), syncs: read('failedSyncs') }),
    [Symbol.dispose]: () => closeSync(file),
  }
}

function build(): string {
  if (compiler === undefined) throw new Error(String(diskNeeded.skip))
  const built = join(temporaryFolder(), 'disk.so')
  const flags = ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', built]
  execFileSync(compiler, [...flags, join(import.meta.dirname, 'disk.c'), '-ldl'], { timeout: 60_000 })
  return built
}
