/** The findings of a service, which might be stopped. Only the database and its disk are asked. */
import { EXPIRY_WARNING_MS, earliestExpiryMs } from '../common/certificate.ts'
import type { Clock } from '../common/clock.ts'
import type { Counters } from '../counters/counters.ts'
import type { ReadFindings } from '../operator/findings.ts'
import type { BackupStatus, PublishingStatus } from '../operator/prometheus.ts'
import { COPY_LATE_MS } from '../store/maintenance.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import type { PublicCertificates } from './public-certificates.ts'

/** With less free space, requests will soon be refused: an import leaves 16 MiB. */
const ROOM_BYTES = 64 << 20

interface Sources {
  readonly clock: Clock
  readonly store: Pick<Store, 'engine' | 'ping'>
  readonly outage: { trouble(): string | undefined }
  readonly failures: { readonly reasons: readonly string[] }
  readonly counters: Pick<Counters, 'trouble'>
  readonly backups: Omit<BackupStatus, 'failures'> | undefined
  readonly certificate: CurrentCertificate
  /** At the addresses that clients use; undefined if no service runs. */
  readonly publicCertificates: Pick<PublicCertificates, 'endsMs'> | undefined
  readonly publishing: Pick<PublishingStatus, 'failure'> | undefined
  readonly removedSettings: readonly string[]
  /** Undefined if the disk belongs to another machine. */
  readonly freeBytes: () => Promise<number | undefined>
}

export function watchFindings(sources: Sources): ReadFindings {
  const { clock, store, outage, failures, counters, backups, certificate, publishing, removedSettings } = sources
  const startedAtMs = clock.now()
  return async () => {
    const nowMs = clock.now()
    const down = await whyDown(store, outage)
    const sentences = [
      down === undefined ? outage.trouble() : undefined,
      ...failures.reasons.map((reason) => `requests get 503: ${reason}`),
      counters.trouble(),
      ...troublesOfBackups(store.engine, backups, startedAtMs, nowMs),
      certificate.trouble(nowMs),
      ...[...(sources.publicCertificates?.endsMs ?? [])].map(([address, endsMs]) =>
        troubleOfExpiry(`the certificate of ${address}`, endsMs, nowMs, 'renew it at the proxy'),
      ),
      publishing?.failure && `the public page was not written: ${publishing.failure}`,
      littleRoom(await sources.freeBytes().catch(() => undefined)),
      ...removedSettings,
    ]
    const looks = sentences.filter((text) => text !== undefined)
    return [
      ...(down === undefined ? [] : [{ kind: 'cannot serve' as const, sentence: toSentence(down) }]),
      ...looks.map((text) => ({ kind: 'look at it' as const, sentence: toSentence(text) })),
    ]
  }
}

async function whyDown(store: Sources['store'], outage: Sources['outage']): Promise<string | undefined> {
  try {
    await store.ping()
    return undefined
  } catch (error) {
    const why = error instanceof StoreUnavailable && !error.isReported ? error.message : outage.trouble()
    return why ?? 'the database is not responding'
  }
}

function troublesOfBackups(
  engine: Store['engine'],
  backups: Sources['backups'],
  startedAtMs: number,
  nowMs: number,
): readonly (string | undefined)[] {
  if (backups !== undefined) {
    return [troubleOfBackups(backups, startedAtMs, nowMs), backups.doubt, troubleOfCopy(backups, nowMs)]
  }
  return engine === 'sqlite' ? ['no backups are made: set `backup-dir` to a folder on another disk'] : []
}

function littleRoom(freeBytes: number | undefined): string | undefined {
  if (freeBytes === undefined || freeBytes > ROOM_BYTES) return undefined
  return `the disk of the database has only ${Math.floor(freeBytes / 2 ** 20)} MiB left: free some space`
}

function troubleOfBackups(
  backups: NonNullable<Sources['backups']>,
  startedAtMs: number,
  nowMs: number,
): string | undefined {
  const { failure, lastSuccessMs, everyMs } = backups
  if (failure !== undefined) return `no backup was made: ${failure}`
  if (nowMs - (lastSuccessMs ?? startedAtMs) <= 2 * everyMs) return undefined
  if (lastSuccessMs === undefined) return 'no backup was made yet, although at least two were due'
  return `the newest backup is from ${iso(lastSuccessMs)}, and at least two more were due`
}

function troubleOfCopy({ copiedMs }: NonNullable<Sources['backups']>, nowMs: number): string | undefined {
  if (copiedMs === undefined || nowMs - copiedMs <= COPY_LATE_MS) return undefined
  return `the backups were last copied elsewhere on ${iso(copiedMs)}`
}

export class CurrentCertificate {
  /** Unix ms; undefined without a certificate. */
  endsMs: number | undefined
  #failure: string | undefined

  constructor(pem: Buffer | undefined) {
    if (pem !== undefined) this.endsMs = earliestExpiryMs(pem.toString())
  }

  replace(pem: Buffer): void {
    this.endsMs = earliestExpiryMs(pem.toString())
    this.#failure = undefined
  }

  reportFailure(reason: string): void {
    this.#failure = reason
  }

  describe(): string | undefined {
    return this.endsMs === undefined ? undefined : `expires ${iso(this.endsMs)}`
  }

  trouble(nowMs: number): string | undefined {
    if (this.#failure !== undefined) return `the certificate was not reloaded: ${this.#failure}`
    if (this.endsMs === undefined) return undefined
    return troubleOfExpiry('the certificate in use', this.endsMs, nowMs, 'replace it and send SIGHUP')
  }
}

function troubleOfExpiry(what: string, endsMs: number, nowMs: number, remedy: string): string | undefined {
  if (endsMs > nowMs + EXPIRY_WARNING_MS) return undefined
  return `${what} ${endsMs <= nowMs ? 'expired' : 'expires'} on ${iso(endsMs)}; ${remedy}`
}

function iso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

function toSentence(trouble: string): string {
  return `${trouble.slice(0, 1).toUpperCase()}${trouble.slice(1).replace(/\.$/, '')}.`
}
