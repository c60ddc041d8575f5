/** The only access to the engines, chosen by the scheme of `--database`. Each is loaded when it is used. */
import { accessSync, constants, globSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { assertWritable, isThere, whyUnreadable } from '../common/paths.ts'
import { printable } from '../common/printable.ts'
import { HOW_TO_ENCODE, isUnambiguous } from '../common/url.ts'
import type {
  BackupOptions,
  Contents,
  Examination,
  Inspection,
  RestoreOptions,
  RestoreResult,
  SeenBackup,
  ServiceNote,
} from './maintenance.ts'
import type { Task } from './postgres/connection/tools.ts'
import { type OpenOptions, type Store, WrongAddress } from './store.ts'

export function databaseFile(url: string): string | undefined {
  return url.startsWith('sqlite:') ? resolve(url.slice('sqlite:'.length)) : undefined
}

/** The note of the service that runs on a SQLite database; empty while it starts or its disk is full. */
export async function runningService(url: string): Promise<Partial<ServiceNote> | undefined> {
  const file = databaseFile(url)
  // The file itself might have been moved away from a running service.
  if (file === undefined || !isThere(dirname(file))) return undefined
  return (await import('./sqlite/file/service-note.ts')).readServiceNote(file)
}

/** The identity of a database on a server; undefined if it cannot be asked. */
export async function serverIdentity(url: string): Promise<string | undefined> {
  if (databaseFile(url) !== undefined) return undefined
  return (await import('./postgres/examine.ts')).identityOf(postgresAddress(url)).catch(() => undefined)
}

/** Throws StoreUnusable. */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const { flag = '--database' } = options
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    if (options.mustExist) assertExists(resolve(path), flag)
    else assertMakable(resolve(path), flag)
    const { openSqlite } = await import('./sqlite/store.ts')
    return openSqlite(path, options)
  }
  const address = postgresAddress(url, flag)
  const { openPostgres } = await import('./postgres/store.ts')
  return openPostgres(address, options)
}

function assertExists(file: string, flag = '--database'): void {
  if (!isThere(file)) throw new WrongAddress(`${noDatabase(file, flag)}.`)
}

function assertMakable(file: string, flag = '--database'): void {
  if (!isThere(file)) assertWritable(dirname(file), 'The database cannot be made in', flag)
}

/** Only reads. Throws StoreUnusable if a service could not use the database. */
export async function assertServable(url: string, mustExist: boolean): Promise<void> {
  const file = databaseFile(url)
  if (file === undefined) {
    await (await import('./postgres/examine.ts')).identityOf(postgresAddress(url))
  } else if (mustExist || isThere(file)) {
    assertExists(file)
    await (await import('./sqlite/maintenance/inspect.ts')).assertServable(file)
  } else {
    assertMakable(file)
  }
}

/** The sentence about a missing file, which names databases next to it. */
export function noDatabase(file: string, flag = '--database'): string {
  const folder = dirname(file)
  const names = isThere(folder) ? globSync('*.{db,sqlite,sqlite3}', { cwd: folder }).slice(0, BESIDE_SHOWN) : []
  const neighbours = names.length === 0 ? '' : `in its folder there is ${names.join(', ')}; `
  return `There is no database at ${file}; ${neighbours}go to the folder of the service, or name the database with ${flag}`
}

const BESIDE_SHOWN = 5

function postgresAddress(url: string, flag = '--database'): string {
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    // An address with a colon might contain a password, and is not repeated.
    const advice = url.includes(':') ? 'see it for a space or a mistyped scheme' : `a file is sqlite:${printable(url)}`
    throw new WrongAddress(`${flag} must be sqlite:PATH or postgres://…; ${advice}.`)
  }
  if (!isUnambiguous(url)) throw new WrongAddress(`${flag} is not a valid address; ${HOW_TO_ENCODE}`)
  const { searchParams } = new URL(url)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    try {
      if (file !== null) accessSync(file, constants.R_OK)
    } catch (error) {
      const why = whyUnreadable(error, String(file))
      throw new WrongAddress(`The file ${file} given as ${name} of ${flag} cannot be read: ${why}.`)
    }
  }
  const mode = searchParams.get('sslmode')
  if (mode === null || PLAIN_SSL_MODES.includes(mode)) return url
  if (!CHECKING_SSL_MODES.includes(mode)) {
    const modes = [...CHECKING_SSL_MODES, ...PLAIN_SSL_MODES].join(', ')
    throw new WrongAddress(`sslmode of ${flag} must be one of ${modes}.`)
  }
  return url.replace(/([?&]sslmode=)[^&]*/, '$1verify-full')
}

/** All of these check certificate and name. The driver warns about all except the first. */
const CHECKING_SSL_MODES = ['verify-full', 'verify-ca', 'require', 'prefer']
const PLAIN_SSL_MODES = ['no-verify', 'disable']

/** Works while the service runs. Throws StoreUnusable, and then leaves `file` as it was. */
export async function backUp(url: string, file: string, options: BackupOptions): Promise<Contents> {
  const path = await fileFor('backup', url)
  assertExists(path)
  return (await import('./sqlite/maintenance/backup.ts')).backUp(path, file, options)
}

/** Throws StoreUnusable, and then leaves the database as it was. */
export async function restore(file: string, url: string, options: RestoreOptions): Promise<RestoreResult> {
  const path = await fileFor('restore', url)
  return (await import('./sqlite/maintenance/restore.ts')).restore(file, path, options)
}

/** Works while the service runs. Throws StoreUnusable if the database cannot be read. */
export async function verify(url: string): Promise<Inspection> {
  const path = await fileFor('verify', url)
  assertExists(path)
  return (await import('./sqlite/maintenance/inspect.ts')).verify(path)
}

/** Throws StoreUnusable on PostgreSQL. */
export async function assertMakesBackups(url: string): Promise<void> {
  await fileFor('backup', url)
}

/** Changes nothing. Throws StoreUnusable. */
export async function examine(url: string, nowMs: number): Promise<Examination> {
  const file = databaseFile(url)
  if (file === undefined) {
    return (await import('./postgres/examine.ts')).examine(postgresAddress(url), nowMs)
  }
  assertExists(file)
  return (await import('./sqlite/maintenance/inspect.ts')).examine(file, nowMs)
}

/** The contents of a backup, and whether it is of the database at `path`. */
export async function lookAtBackup(file: string, path: string): Promise<SeenBackup> {
  return (await import('./sqlite/maintenance/inspect.ts')).lookAtBackup(file, path)
}

export async function animalsIn(url: string): Promise<number> {
  return (await import('./sqlite/maintenance/inspect.ts')).animalsAt(databaseFile(url) ?? '')
}

export async function freeBytesFor(url: string): Promise<number | undefined> {
  const file = databaseFile(url)
  return file === undefined ? undefined : (await import('./sqlite/file/disk-space.ts')).freeBytes(file)
}

async function fileFor(task: Task, url: string): Promise<string> {
  const file = databaseFile(url)
  if (file !== undefined) return file
  postgresAddress(url)
  const { useTools } = await import('./postgres/connection/tools.ts')
  throw useTools(url, task)
}
