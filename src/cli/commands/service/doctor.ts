/** `pets doctor`: what an operator asks first when something is wrong, on one page. */
import type { Command } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, databaseOption, option } from '../../options.ts'
import { findings } from '../../running/examination.ts'
import { settingsOfService } from '../../settings.ts'
import { toIso } from '../../table.ts'

interface Options {
  readonly database: string
  readonly config?: string
  readonly json?: true
}

type Findings = Awaited<ReturnType<typeof findings>>

export function doctor(cli: Cli): Command {
  return command(
    'doctor',
    'Say how the service, its database, backups and certificate are, and change nothing; exits 1 on trouble.',
    ['pets doctor', 'pets doctor --config /etc/pets.conf --json'],
  )
    .addOption(databaseOption())
    .addOption(option('--config <file>', 'the settings of the service'))
    .option('--json', 'one JSON object')
    .action(async (options: Options, made: Command) => {
      const settings = settingsOfService(cli, options.config)
      const isNamed = made.getOptionValueSource('database') === 'cli'
      const found = await findings(cli, isNamed ? { ...settings, database: options.database } : settings)
      await cli.print(options.json ? `${printableJson(toJson(found))}\n` : pageOf(found))
      if (found.trouble.length > 0)
        throw new CommandFailed(found.trouble.map((sentence) => printable(sentence)).join('\n'))
    })
}

function pageOf({ version, nowMs, database, examination, service, readiness, backup, certificateEndsMs }: Findings) {
  const lines: (readonly [string, string | undefined])[] = [
    ['version', version],
    ['time', toIso(nowMs)],
    ['database', database],
    ...(examination === undefined ? [] : linesOf(examination)),
    [
      'service',
      service === undefined
        ? undefined
        : `pets serve ${service.version}, process ${service.pid}, since ${toIso(service.sinceMs)}, at ${service.baseUrl}`,
    ],
    ['state', readiness],
    ['backup', backup && `${toIso(backup.atMs)}, ${backup.file}; it was checked when it was made`],
    ['certificate', certificateEndsMs === undefined ? undefined : `ends ${toIso(certificateEndsMs)}`],
  ]
  return lines.map(([name, text]) => `${name.padEnd(12)}${printable(text ?? '-')}\n`).join('')
}

function linesOf({
  schema,
  bytes,
  logBytes,
  freeBytes,
  keys,
  latestMs,
  nearLimit,
}: NonNullable<Findings['examination']>) {
  const sizes = [`schema ${schema}`, mebibytes(bytes)]
  if (logBytes !== undefined) sizes.push(`log ${mebibytes(logBytes)}`)
  if (freeBytes !== undefined) sizes.push(`${mebibytes(freeBytes)} free on its disk`)
  return [
    ['', sizes.join(', ')],
    ['', `the latest that it knows is of ${toIso(latestMs) ?? 'no time'}`],
    ['keys', `${keys}, of which ${nearLimit.length} have used most of their day`],
  ] as const
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

function toJson({ version, nowMs, database, examination, service, readiness, backup, ...rest }: Findings) {
  const { latestMs, clockMs, ...known } = examination ?? {}
  return {
    version,
    at: toIso(nowMs),
    database: { url: database, ...known, latestAt: toIso(latestMs), clockAt: toIso(clockMs) },
    service: service && { ...service, sinceMs: undefined, startedAt: toIso(service.sinceMs) },
    state: readiness,
    backup: backup && { file: backup.file, madeAt: toIso(backup.atMs) },
    certificateEndsAt: toIso(rest.certificateEndsMs),
    trouble: rest.trouble,
  }
}
