/**
 * What is wrong with the service at the moment, as sentences for people: the same on /readyz and on the dashboard. Each
 * is known already where it happens; nothing is asked here.
 */
import { EXPIRY_WARNING_MS, earliestExpiryMs } from '../common/certificate.ts'
import type { Clock } from '../common/clock.ts'
import type { Counters } from '../counters/counters.ts'
import type { BackupStatus, PublishingStatus } from '../operator/prometheus.ts'

interface Sources {
  readonly clock: Clock
  /** What the database says of itself. */
  readonly outage: { trouble(): string | undefined }
  /** For what else it fails requests. */
  readonly failures: { readonly reasons: readonly string[] }
  readonly counters: Pick<Counters, 'trouble'>
  readonly backups: BackupStatus | undefined
  readonly certificate: CurrentCertificate
  readonly publishing: PublishingStatus | undefined
}

/** That of the database comes first. */
export function watchTroubles({ clock, outage, failures, counters, backups, certificate, publishing }: Sources) {
  const startedAtMs = clock.now()
  return (): readonly string[] => {
    const nowMs = clock.now()
    const told = [
      outage.trouble(),
      ...failures.reasons.map((reason) => `requests get 503: ${reason}`),
      counters.trouble(),
      backups && troubleOfBackups(backups, startedAtMs, nowMs),
      certificate.trouble(nowMs),
      publishing?.failure && `no public page is written: ${publishing.failure}`,
    ]
    return told.filter((text) => text !== undefined).map(toSentence)
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

/** The certificate that new connections get. */
export class CurrentCertificate {
  #endsMs: number | undefined
  #failure: string | undefined

  constructor(pem: Buffer | undefined) {
    if (pem !== undefined) this.#endsMs = earliestExpiryMs(pem.toString())
  }

  /** Unix ms; undefined without a certificate. */
  get endsMs(): number | undefined {
    return this.#endsMs
  }

  replace(pem: Buffer): void {
    this.#endsMs = earliestExpiryMs(pem.toString())
    this.#failure = undefined
  }

  reportFailure(reason: string): void {
    this.#failure = reason
  }

  trouble(nowMs: number): string | undefined {
    if (this.#failure !== undefined) return `the certificate stays as it was: ${this.#failure}`
    if (this.#endsMs === undefined || this.#endsMs > nowMs + EXPIRY_WARNING_MS) return undefined
    const ends = this.#endsMs <= nowMs ? 'has ended' : 'ends'
    return `the certificate in use ${ends} on ${iso(this.#endsMs)}; put a new one in its place and send SIGHUP`
  }
}

function iso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** Reasons have neither a capital letter nor, always, a full stop. */
function toSentence(trouble: string): string {
  return `${trouble.slice(0, 1).toUpperCase()}${trouble.slice(1).replace(/\.$/, '')}.`
}
