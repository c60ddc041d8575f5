/** Collects what `pets health` shows: from the running service or, without it, from settings, locks and files. */
import { readFileSync } from 'node:fs'
import { MINUTE_MS } from '../../../common/clock.ts'
import { counted } from '../../../common/counted.ts'
import { isThere } from '../../../common/paths.ts'
import { describeUrl } from '../../../common/url.ts'
import { about } from '../../../common/version.ts'
import { troubleOfShared } from '../../../counters/open.ts'
import { BackupFolder } from '../../../service/backup-folder.ts'
import { CurrentCertificate, watchFindings } from '../../../service/findings.ts'
import type { Examination, ServiceNote } from '../../../store/maintenance.ts'
import { databaseFile, examine, freeBytesFor, runningService, serverIdentity } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { assertStarts } from '../../serve/check.ts'
import { resolveOptions, type ServeOptions } from '../../serve/options.ts'
import type { parseServeSettings } from '../../settings.ts'
import { sizeOf, toIso } from '../../table.ts'
import { askService, operatorUrlOf } from './ask-service.ts'

const CLOCK_SLACK_MS = MINUTE_MS

type Settings = ReturnType<typeof parseServeSettings>

/** Only reads. `facts` are by name, also in JSON; without `hasFacts`, only what a probe needs is collected. */
export async function healthOf(cli: Cli, parsed: Settings, hasFacts: boolean) {
  const settings = resolveOptions(parsed.serve.opts())
  const url = cli.databaseUrl(settings.database)
  const { service, findings } = await ownFindings(cli, parsed, settings, url)
  if (!hasFacts) return { facts: {}, findings }
  const nowMs = cli.clock.now()
  const examination = await examine(url, nowMs).catch((error: Error) => error.message)
  const isKnown = typeof examination !== 'string'
  const isDown = findings.some(({ kind }) => kind === 'cannot serve')
  const unread = isKnown || isDown ? [] : [examination]
  const looks = isKnown ? wrongClocks(nowMs, examination) : unread
  return {
    facts: {
      version: about(),
      time: toIso(nowMs),
      service: describeService(service),
      database: describeDatabase(url, isKnown ? examination : undefined),
      disk: isKnown ? describeDisk(examination) : undefined,
      keys: isKnown ? describeKeys(examination) : undefined,
      counters: settings.counters === undefined ? 'in the database' : describeUrl(settings.counters),
      ...describeBackups(cli, settings, url, nowMs),
      certificate: certificateOf(cli, settings).describe(),
    },
    findings: [...findings, ...looks.map((sentence) => ({ kind: 'look at it' as const, sentence }))],
  }
}

/** The findings of the service or, if it is not responding, what is known without it. */
async function ownFindings(cli: Cli, parsed: Settings, settings: ServeOptions, url: string) {
  const service = await runningService(url)
  const operatorUrl = operatorUrlOf(settings, service?.operatorUrl)
  const isAlone = service?.listensAt !== undefined && service.operatorUrl === undefined
  const readiness = isAlone ? '' : await askService(operatorUrl, cli.clock)
  if (typeof readiness !== 'string') {
    const identity = databaseFile(url) === undefined ? await serverIdentity(url) : (service?.database ?? '')
    // On a full disk a service cannot announce itself, and a server might hide its identity.
    const isOwn = service !== undefined ? identity === '' || identity === readiness.database : undefined
    if (isOwn ?? (identity === undefined || identity === readiness.database)) return { service, ...readiness }
  }
  const why = isAlone
    ? ({
        kind: 'look at it',
        sentence: `The service (process ${service.pid}) has no operator port to ask. Set operator-port.`,
      } as const)
    : ({ kind: 'cannot serve', sentence: await whyNot() } as const)
  const others = await findingsWithout(cli, settings, url, parsed)
  return { service, findings: [why, ...others] }

  async function whyNot(): Promise<string> {
    const file = databaseFile(url)
    if (service !== undefined && file !== undefined && !isThere(file)) {
      return `The database ${file} was moved away while the service (process ${service.pid ?? 'unknown'}) runs. Put the file back, or stop the service and restore a backup.`
    }
    if (service?.listensAt !== undefined && typeof readiness === 'string') return readiness
    if (service !== undefined) {
      return `The database ${file} is in use by a process that does not serve: a starting service, a restore or a copy. Wait until it ends.`
    }
    const at = file ?? describeUrl(url)
    const other =
      typeof readiness === 'string'
        ? ''
        : ` At ${operatorUrl} the service of another database responds: check --operator-port.`
    return assertStarts(cli, parsed.serve, settings).then(
      () => `No service runs on ${at}.${other || ' Start it, or name its settings file with --config.'}`,
      (error: Error) => `No service runs on ${at}.${other} ${error.message}`,
    )
  }
}

/** The findings that the service would report. */
async function findingsWithout(cli: Cli, settings: ServeOptions, url: string, { removed }: Settings) {
  const nowMs = cli.clock.now()
  const counters = settings.counters && (await troubleOfShared(settings.counters, cli.clock))
  const folder = folderOf(cli, settings, url)
  const look = await folder?.look(nowMs).catch(() => undefined)
  const backups = folder && {
    failure: undefined,
    lastSuccessMs: folder.newestMs(nowMs),
    doubt: look?.doubt,
    everyMs: settings.backups.everyMs,
    copiedMs: folder.copiedMs,
  }
  return watchFindings({
    clock: cli.clock,
    store: { engine: databaseFile(url) === undefined ? 'postgres' : 'sqlite', ping: async () => {} },
    outage: { trouble: () => undefined },
    failures: { reasons: [] },
    counters: { trouble: () => counters },
    backups,
    certificate: certificateOf(cli, settings),
    publicCertificates: undefined,
    publishing: undefined,
    removedSettings: removed.map(({ sentence }) => sentence),
    freeBytes: () => freeBytesFor(url),
  })()
}

function folderOf(cli: Cli, { backupDir }: ServeOptions, url: string): BackupFolder | undefined {
  return backupDir === undefined || databaseFile(url) === undefined
    ? undefined
    : new BackupFolder(url, cli.path(backupDir))
}

/** An invalid certificate is reported as the reason why the service cannot start. */
function certificateOf(cli: Cli, { tlsCert }: ServeOptions): CurrentCertificate {
  try {
    return new CurrentCertificate(tlsCert === undefined ? undefined : readFileSync(cli.path(tlsCert)))
  } catch {
    return new CurrentCertificate(undefined)
  }
}

function wrongClocks(nowMs: number, { latestMs = 0, clockMs = nowMs }: Examination): readonly string[] {
  const here = `The clock of this machine says ${toIso(nowMs)}, but`
  const looks: string[] = []
  if (latestMs > nowMs + CLOCK_SLACK_MS)
    looks.push(`${here} the database contains an entry from ${toIso(latestMs)}. Correct the clock.`)
  if (Math.abs(clockMs - nowMs) > CLOCK_SLACK_MS)
    looks.push(`${here} the clock of the database says ${toIso(clockMs)}. Correct both clocks.`)
  return looks
}

function describeService(service: Partial<ServiceNote> | undefined): string | undefined {
  if (service?.pid === undefined) return undefined
  const { pid, version, sinceMs, baseUrl } = service
  return `pets serve ${version}, process ${pid}, since ${toIso(sinceMs)}, at ${baseUrl}`
}

function describeDatabase(url: string, examination: Examination | undefined): string {
  const at = describeUrl(url)
  return examination ? `${at}, schema ${examination.schema}, ${counted(examination.animals, 'animal')}` : at
}

function describeDisk({ bytes, logBytes, freeBytes }: Examination): string {
  const log = logBytes === undefined ? '' : `, log ${sizeOf(logBytes)}`
  return `database ${sizeOf(bytes)}${log}${freeBytes === undefined ? '' : `, ${sizeOf(freeBytes)} free`}`
}

function describeKeys({ keys, nearLimit, ending }: Examination): string {
  const near = nearLimit.map(({ id, usedToday, perDay }) => `${id} has used ${usedToday} of ${perDay} requests today`)
  const soon = ending.map(({ id, endsMs }) => `${id} expires ${toIso(endsMs)}`)
  return [`${keys}`, ...near, ...soon].join('; ')
}

function describeBackups(cli: Cli, settings: ServeOptions, url: string, nowMs: number) {
  const folder = folderOf(cli, settings, url)
  if (folder === undefined) return {}
  return {
    backups: `${folder.path}, newest ${toIso(folder.newestMs(nowMs)) ?? 'none'}`,
    copied: toIso(folder.copiedMs),
  }
}
