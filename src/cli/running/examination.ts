/**
 * What `pets doctor` looks at: the software, the database, who serves it, clocks, backups, certificate and limits.
 * Nothing is changed, and no secret is read: addresses of databases are told without user and password.
 */
import { readFileSync } from 'node:fs'
import { endOfChain, TOLD_BEFORE_END_MS } from '../../common/certificate.ts'
import { MINUTE_MS } from '../../common/clock.ts'
import { about } from '../../common/version.ts'
import { databaseFile, examine, newestBackup, runningService } from '../../store/open.ts'
import type { Examination, ServiceNote } from '../../store/upkeep.ts'
import { describeUrl } from '../../store/url.ts'
import type { Cli } from '../cli.ts'
import type { ServeOptions } from '../serve/options.ts'
import { askReadiness, operatorPortOf } from './readiness.ts'

/** Clocks may differ by so much. */
const CLOCK_SLACK_MS = MINUTE_MS
/** What an import leaves free, and some more: below it something will be refused soon. */
const ROOM_BYTES = 64 << 20

interface Findings {
  readonly version: string
  readonly nowMs: number
  /** Without user and password. */
  readonly database: string
  /** Undefined where the database cannot be read. */
  readonly examination: Examination | undefined
  readonly service: ServiceNote | undefined
  /** What the service says of itself. */
  readonly readiness: string
  readonly backup: { readonly file: string; readonly atMs: number } | undefined
  readonly certificateEndsMs: number | undefined
  /** A sentence for each thing that somebody should look at. */
  readonly trouble: readonly string[]
}

export async function findings(cli: Cli, settings: ServeOptions): Promise<Findings> {
  const { clock } = cli
  const database = cli.databaseUrl(settings.database)
  const backupDir = settings.backupDir === undefined ? undefined : cli.path(settings.backupDir)
  const nowMs = clock.now()
  const trouble: string[] = []
  const examination = await examine(database, nowMs).catch((error: unknown) => {
    trouble.push(error instanceof Error ? error.message : String(error))
    return undefined
  })
  if (examination !== undefined) trouble.push(...wrongClocks(examination, nowMs), ...littleRoom(examination))
  const service = await runningService(database)
  const port = operatorPortOf(settings)
  const { isReady, sentence } = await askReadiness({ ...port, url: service?.operatorUrl ?? port.url }, clock)
  if (!isReady || !/is ready\.$/.test(sentence)) trouble.push(sentence)
  const backup = backupDir === undefined ? undefined : await newestBackup(database, backupDir, nowMs)
  if (backupDir !== undefined && nowMs - (backup?.atMs ?? 0) > 2 * settings.backups.everyMs) {
    trouble.push(
      `The newest backup in ${backupDir} is ${backup === undefined ? 'none' : 'twice as old as it should be'}.`,
    )
  }
  if (backupDir === undefined && database.startsWith('sqlite:')) {
    trouble.push('No backups are configured; give the service --backup-dir, on another disk.')
  }
  const certificateEndsMs = endOf(settings.tlsCert === undefined ? undefined : cli.path(settings.tlsCert), trouble)
  if (certificateEndsMs !== undefined && certificateEndsMs < nowMs + TOLD_BEFORE_END_MS) {
    trouble.push(`The certificate ${settings.tlsCert} ends on ${new Date(certificateEndsMs).toISOString()}.`)
  }
  for (const { id, usedToday, perDay } of examination?.nearLimit ?? []) {
    trouble.push(`The key ${id} has used ${usedToday} of its ${perDay} requests of today.`)
  }
  return {
    version: about(),
    nowMs,
    database: describeUrl(database.startsWith('sqlite:') ? `sqlite:${databaseFile(database)}` : database),
    ...{ examination, service, readiness: sentence, backup, certificateEndsMs, trouble },
  }
}

function wrongClocks({ latestMs = 0, clockMs }: Examination, nowMs: number): readonly string[] {
  const now = new Date(nowMs).toISOString()
  const found: string[] = []
  if (latestMs > nowMs + CLOCK_SLACK_MS) {
    const latest = new Date(latestMs).toISOString()
    found.push(`The clock of this machine says ${now}, and the database knows of ${latest}: one of them was wrong.`)
  }
  if (clockMs !== undefined && Math.abs(clockMs - nowMs) > CLOCK_SLACK_MS) {
    const theirs = new Date(clockMs).toISOString()
    found.push(`The clock of this machine says ${now}, and that of the database ${theirs}.`)
  }
  return found
}

function littleRoom({ freeBytes, bytes }: Examination): readonly string[] {
  if (freeBytes === undefined || freeBytes > Math.max(ROOM_BYTES, bytes / 10)) return []
  return [`The disk of the database has only ${Math.floor(freeBytes / 2 ** 20)} MiB left.`]
}

function endOf(file: string | undefined, trouble: string[]): number | undefined {
  if (file === undefined) return undefined
  try {
    const endsMs = endOfChain(readFileSync(file, 'utf8'))
    if (endsMs !== undefined) return endsMs
  } catch {}
  trouble.push(`The certificate ${file} cannot be read.`)
  return undefined
}
