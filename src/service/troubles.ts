/**
 * The current problems of the service as sentences, for /readyz and the dashboard. Each source keeps its own state;
 * nothing is probed here.
 */
import { EXPIRY_WARNING_MS, earliestExpiryMs } from '../common/certificate.ts'
import type { Clock } from '../common/clock.ts'
import type { Counters } from '../counters/counters.ts'
import type { BackupStatus, PublishingStatus } from '../operator/prometheus.ts'
import { COPY_LATE_MS } from '../store/maintenance.ts'

interface Sources {
  readonly clock: Clock
  /** Outage of the database. */
  readonly outage: { trouble(): string | undefined }
  /** Other reasons for 503 responses. */
  readonly failures: { readonly reasons: readonly string[] }
  readonly counters: Pick<Counters, 'trouble'>
  readonly backups: BackupStatus | undefined
  readonly certificate: CurrentCertificate
  readonly publishing: PublishingStatus | undefined
  readonly removedSettings: readonly string[]
}

/** The problem of the database comes first. */
export function watchTroubles({
  clock,
  outage,
  failures,
  counters,
  backups,
  certificate,
  publishing,
  removedSettings,
}: Sources) {
  const startedAtMs = clock.now()
  return (): readonly string[] => {
    const nowMs = clock.now()
    const sentences = [
      outage.trouble(),
      ...failures.reasons.map((reason) => `requests get 503: ${reason}`),
      counters.trouble(),
      backups && troubleOfBackups(backups, startedAtMs, nowMs),
      backups?.doubt,
      backups && troubleOfCopy(backups, nowMs),
      certificate.trouble(nowMs),
      publishing?.failure && `no public page is written: ${publishing.failure}`,
      ...removedSettings,
    ]
    return sentences.filter((text) => text !== undefined).map(toSentence)
  }
}

function troubleOfBackups(backups: BackupStatus, startedAtMs: number, nowMs: number): string | undefined {
  const { failure, lastSuccessMs, everyMs } = backups
  if (failure !== undefined) return `no backup was made: ${failure}`
  if (nowMs - (lastSuccessMs ?? startedAtMs) <= 2 * everyMs) return undefined
  const newest =
    lastSuccessMs === undefined ? 'no backup was made yet' : `the newest backup is of ${iso(lastSuccessMs)}`
  return `${newest}; two more are overdue`
}

function troubleOfCopy({ copiedMs }: BackupStatus, nowMs: number): string | undefined {
  if (copiedMs === undefined || nowMs - copiedMs <= COPY_LATE_MS) return undefined
  return `the backups were last copied elsewhere on ${iso(copiedMs)}`
}

/** The certificate for new connections, and why it could not be replaced. */
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

  trouble(nowMs: number): string | undefined {
    if (this.#failure !== undefined) return `the certificate stays as it was: ${this.#failure}`
    if (this.endsMs === undefined || this.endsMs > nowMs + EXPIRY_WARNING_MS) return undefined
    const ends = this.endsMs <= nowMs ? 'has ended' : 'ends'
    return `the certificate in use ${ends} on ${iso(this.endsMs)}; put a new one in its place and send SIGHUP`
  }
}

function iso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** Adds the capital letter and the full stop that reasons may lack. */
function toSentence(trouble: string): string {
  return `${trouble.slice(0, 1).toUpperCase()}${trouble.slice(1).replace(/\.$/, '')}.`
}
