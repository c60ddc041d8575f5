/** `pets doctor`: what an operator asks first when something is wrong, on one page. */
import { readFileSync } from 'node:fs'
import { EXPIRY_WARNING_MS, earliestExpiryMs } from '../../../common/certificate.ts'
import { MINUTE_MS } from '../../../common/clock.ts'
import { whyUnreadable } from '../../../common/paths.ts'
import { printable } from '../../../common/printable.ts'
import { describeUrl } from '../../../common/url.ts'
import { about } from '../../../common/version.ts'
import { newestBackup } from '../../../service/backups.ts'
import { COPY_LATE_MS, type Examination } from '../../../store/maintenance.ts'
import { databaseFile, examine } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, databaseOption, option } from '../../options.ts'
import type { ServeOptions } from '../../serve/options.ts'
import { serviceSettings } from '../../settings.ts'
import { factsOf, toIso } from '../../table.ts'
import { caOption, checkService, portOf, urlOption } from './health.ts'

/** Allowed difference between clocks. */
const CLOCK_SLACK_MS = MINUTE_MS
/** An import leaves 16 MiB free. With less than this, something will be refused soon. */
const ROOM_BYTES = 64 << 20

type Findings = Awaited<ReturnType<typeof findings>>

export const doctor = command({
  about: 'Say how the service, its database, backups and certificate are, and change nothing; exits 1 on trouble.',
  examples: ['pets doctor', 'pets doctor --config /etc/pets.conf --json'],
  takes: (command) =>
    command
      .addOption(databaseOption())
      .addOption(option('--config <file>', 'the settings of the service'))
      .addOption(urlOption())
      .addOption(caOption()),
  database: false,
  json: 'one JSON object',
  async action({ cli, command, show }, options) {
    const settings = serviceSettings(cli, options.config)
    const isNamed = command.getOptionValueSource('database') === 'cli'
    const serveSettings = isNamed ? { ...settings, database: options.database } : settings
    const diagnosis = await findings(cli, serveSettings, portOf(cli, options))
    await show({ json: toJson(diagnosis), text: pageOf(diagnosis) })
    if (diagnosis.trouble.length > 0)
      throw new CommandFailed(diagnosis.trouble.map((sentence) => printable(sentence)).join('\n'))
  },
})

function pageOf({ version, nowMs, database, examination, service, readiness, backup, certificateEndsMs }: Findings) {
  const { pid, sinceMs, baseUrl } = service ?? {}
  const endsAt = toIso(certificateEndsMs)
  const copiedAt = toIso(backup?.copiedMs)
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['version', version],
    ['time', toIso(nowMs)],
    ['database', database],
    ...(examination === undefined ? [] : linesOf(examination)),
    [
      'service',
      pid === undefined
        ? undefined
        : `pets serve ${service?.version}, process ${pid}, since ${toIso(sinceMs)}, at ${baseUrl}`,
    ],
    ['state', readiness],
    ['backup', backup && `${toIso(backup.atMs)}, ${backup.file}; it was checked when it was made`],
    ['copy', copiedAt && `the backups were copied elsewhere ${copiedAt}`],
    ['certificate', endsAt && `ends ${endsAt}`],
  ]
  return factsOf(
    12,
    lines.map(([name, text]) => [name, printable(text ?? '-')]),
  )
}

function linesOf({ schema, bytes, logBytes, freeBytes, keys, latestMs, nearLimit, ending }: Examination) {
  const sizes = [`schema ${schema}`, mebibytes(bytes)]
  if (logBytes !== undefined) sizes.push(`log ${mebibytes(logBytes)}`)
  if (freeBytes !== undefined) sizes.push(`${mebibytes(freeBytes)} free on its disk`)
  return [
    ['', sizes.join(', ')],
    ['', `the latest that it knows is of ${toIso(latestMs) ?? 'no time'}`],
    [
      'keys',
      `${keys}, of which ${nearLimit.length} have used most of their day and ${ending.length} end within a week`,
    ],
    ...ending.map(({ id, label, endsMs }) => ['', `${id} ${label} ends ${toIso(endsMs)}`] as const),
  ] as const
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

function toJson({ version, nowMs, database, examination, service, readiness, backup, ...rest }: Findings) {
  const { latestMs, clockMs, ending = [], ...figures } = examination ?? {}
  return {
    version,
    at: toIso(nowMs),
    database: {
      url: database,
      ...figures,
      latestAt: toIso(latestMs),
      clockAt: toIso(clockMs),
      ending: ending.map(({ endsMs, ...key }) => ({ ...key, endsAt: toIso(endsMs) })),
    },
    service: service && { ...service, sinceMs: undefined, startedAt: toIso(service.sinceMs) },
    state: readiness,
    backup: backup && { file: backup.file, madeAt: toIso(backup.atMs), copiedAt: toIso(backup.copiedMs) },
    certificateEndsAt: toIso(rest.certificateEndsMs),
    trouble: rest.trouble,
  }
}

/** Reads only. The addresses of databases are shown without user and password. */
async function findings(cli: Cli, settings: ServeOptions, port: ReturnType<typeof portOf>) {
  const { clock } = cli
  const database = cli.databaseUrl(settings.database)
  const backupDir = settings.backupDir === undefined ? undefined : cli.path(settings.backupDir)
  const nowMs = clock.now()
  const trouble: string[] = []
  const examination = await examine(database, nowMs).catch((error: unknown) => {
    trouble.push(error instanceof Error ? error.message : String(error))
    return undefined
  })
  if (examination !== undefined) trouble.push(...wrongClocks(nowMs, examination), ...littleRoom(examination))
  const { service, isReady, sentence } = await checkService(cli, settings, port).catch((error: Error) => ({
    service: undefined,
    isReady: false,
    sentence: error.message,
  }))
  if (!isReady || !/is ready\.$/.test(sentence)) trouble.push(sentence)
  const backup = backupDir === undefined ? undefined : newestBackup(database, backupDir, nowMs)
  /** Adds a trouble, unless the sentence of the service has one of the same instant. */
  const tell = (atMs: number, text: string) => {
    if (!sentence.includes(toIso(atMs)?.slice(0, 19) ?? '')) trouble.push(text)
  }
  if (backupDir !== undefined && backup === undefined) trouble.push(`There is no backup in ${backupDir}.`)
  if (backup !== undefined && nowMs - backup.atMs > 2 * settings.backups.everyMs)
    tell(backup.atMs, `The newest backup in ${backupDir} is twice as old as it should be.`)
  if (backup?.copiedMs !== undefined && nowMs - backup.copiedMs > COPY_LATE_MS)
    tell(backup.copiedMs, `The backups were last copied elsewhere on ${toIso(backup.copiedMs)}.`)
  if (backupDir === undefined && database.startsWith('sqlite:')) {
    trouble.push('No backups are configured; give the service --backup-dir, on another disk.')
  }
  const certificateEndsMs = endOf(settings.tlsCert === undefined ? undefined : cli.path(settings.tlsCert), trouble)
  if (certificateEndsMs !== undefined && certificateEndsMs < nowMs + EXPIRY_WARNING_MS)
    tell(certificateEndsMs, `The certificate ${settings.tlsCert} ends on ${toIso(certificateEndsMs)}.`)
  for (const { id, usedToday, perDay } of examination?.nearLimit ?? []) {
    trouble.push(`The key ${id} has used ${usedToday} of its ${perDay} requests of today.`)
  }
  return {
    version: about(),
    nowMs,
    database: describeUrl(database.startsWith('sqlite:') ? `sqlite:${databaseFile(database)}` : database),
    examination,
    service,
    readiness: sentence,
    backup,
    certificateEndsMs,
    trouble,
  }
}

function wrongClocks(nowMs: number, { latestMs = 0, clockMs = nowMs }: Examination): readonly string[] {
  const here = `The clock of this machine says ${toIso(nowMs)}, and`
  return [
    ...(latestMs > nowMs + CLOCK_SLACK_MS
      ? [`${here} the database knows of ${toIso(latestMs)}: one of them was wrong.`]
      : []),
    ...(Math.abs(clockMs - nowMs) > CLOCK_SLACK_MS ? [`${here} that of the database ${toIso(clockMs)}.`] : []),
  ]
}

function littleRoom({ freeBytes, bytes }: Examination): readonly string[] {
  if (freeBytes === undefined || freeBytes > Math.max(ROOM_BYTES, bytes / 10)) return []
  return [`The disk of the database has only ${Math.floor(freeBytes / 2 ** 20)} MiB left.`]
}

function endOf(file: string | undefined, trouble: string[]): number | undefined {
  if (file === undefined) return undefined
  try {
    const endsMs = earliestExpiryMs(readFileSync(file, 'utf8'))
    if (endsMs !== undefined) return endsMs
    trouble.push(`The certificate ${file} is not PEM.`)
  } catch (error) {
    trouble.push(`The certificate ${file} cannot be read: ${whyUnreadable(error, file)}.`)
  }
  return undefined
}
