/** The metrics, read when Prometheus scrapes, so that counting stays cheap. */
import { collectDefaultMetrics, type Metric as PromMetric, Registry } from 'prom-client'
import { type Clock, DAY_MS, MINUTE_MS } from '../common/clock.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { VERSION } from '../common/version.ts'
import type { Counters } from '../counters/counters.ts'
import type { Access } from '../domain/access.ts'
import { DURATION_BUCKETS_S, type Metrics } from '../http/metrics.ts'
import { isInForce, NEAR_LIMIT, SOON_MS } from '../rules/keys.ts'
import type { Store } from '../store/store.ts'
import { type KeyUseParts, keysUsedToday } from './key-use.ts'

/** Gauges of prom-client that end like a counter; other metrics contain the same numbers. */
const MISNAMED_GAUGES = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']
/** Gauges that need a timer, which would wake an idle process a hundred times a second. */
const TIMER_GAUGES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (part) => `nodejs_eventloop_lag_${part}_seconds`,
)

/** Gauges from undocumented functions of Node, which can abort it. */
const UNSAFE_GAUGES = ['nodejs_active_handles', 'nodejs_active_requests']

export interface BackupStatus extends PublishingStatus {
  readonly doubt: string | undefined
  readonly everyMs: number
  /** By the file `copied` in the backup folder. */
  readonly copiedMs: number | undefined
}

export interface PublishingStatus {
  readonly failures: number
  readonly failure: string | undefined
  readonly lastSuccessMs: number | undefined
}

export interface RegistryOptions {
  readonly metrics: Metrics
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly counters: Counters
  readonly backups: BackupStatus | undefined
  readonly publishing: PublishingStatus | undefined
  readonly certificate: { readonly endsMs: number | undefined }
  readonly publicCertificates: { readonly endsMs: ReadonlyMap<string, number> }
  /** Undefined if the disk belongs to another machine. */
  readonly freeBytes: () => Promise<number | undefined>
}

interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
  readonly metricName?: string
}

/** Its help, and a function that reads its value or samples. A name ending in `_total` is a counter. */
type Metric = readonly [help: string, read: () => MaybePromise<readonly Sample[] | number | undefined>]
type MetricsByName = Readonly<Record<string, Metric>>

export function buildRegistry(options: RegistryOptions): Registry {
  const { backups, publishing } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DAY_MS })
  for (const name of [...MISNAMED_GAUGES, ...UNSAFE_GAUGES, ...TIMER_GAUGES]) registry.removeSingleMetric(name)
  const metrics: MetricsByName = {
    pets_build_info: [
      'Always 1. The labels are the versions of the service and of Node.js.',
      () => [{ value: 1, labels: { version: VERSION, node: process.version } }],
    ],
    ...ofRequests(options.metrics),
    ...ofStore(options),
    ...ofKeys(keyStatistics(options)),
    ...(backups !== undefined && ofBackups(backups)),
    ...(publishing !== undefined && ofPublishing(publishing)),
    ...ofCertificates(options),
  }
  for (const [name, metric] of Object.entries(metrics)) registry.registerMetric(toPromMetric(name, metric))
  return registry
}

function toPromMetric(name: string, [help, read]: Metric): PromMetric {
  const type = name.endsWith('_total') ? 'counter' : name === DURATION ? 'histogram' : 'gauge'
  const get = async () => {
    const reading = (await read()) ?? []
    return { name, help, type, aggregator: 'sum', values: typeof reading === 'number' ? [{ value: reading }] : reading }
  }
  return { name, help, type, aggregator: 'sum', get } as unknown as PromMetric
}

function inSeconds(ms = 0): number {
  return ms / 1000
}

const DURATION = 'pets_http_request_duration_seconds'

function ofRequests(metrics: Metrics): MetricsByName {
  return {
    pets_http_requests_total: [
      'Responses by operation and status.',
      () =>
        [...metrics.operations].flatMap(([operation, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
        ),
    ],
    [DURATION]: ['Seconds from the end of a request’s headers to its response.', () => durations(metrics)],
    pets_limit_decisions_total: [
      'Requests admitted and refused by plan. Requests without a valid key are anonymous.',
      () =>
        [...metrics.plans].flatMap(([plan, { admitted, refused }]) => [
          { labels: { plan, decision: 'admitted' }, value: admitted },
          { labels: { plan, decision: 'refused' }, value: refused },
        ]),
    ],
  }
}

function durations({ operations }: Metrics): readonly Sample[] {
  return [...operations].flatMap(([operation, { buckets, seconds }]) => {
    let total = 0
    const bounds = buckets.map((n, index) => {
      total += n
      const le = String(DURATION_BUCKETS_S[index] ?? '+Inf')
      return { metricName: `${DURATION}_bucket`, labels: { operation, le }, value: total }
    })
    return [
      ...bounds,
      { metricName: `${DURATION}_sum`, labels: { operation }, value: seconds },
      { metricName: `${DURATION}_count`, labels: { operation }, value: total },
    ]
  })
}

/** Without the database only the animals are unknown. */
function ofStore({ store, counters, freeBytes }: RegistryOptions): MetricsByName {
  return {
    pets_commits_total: ['Commits that made new animals durable.', () => store.commits.count],
    pets_animals: [
      'Animals by status.',
      async () => {
        const counts = await Promise.try(() => store.pets.count()).catch(() => ({}))
        return Object.entries<number>(counts).map(([status, value]) => ({ labels: { status }, value }))
      },
    ],
    pets_counters_degraded: [
      '1 while counters are not kept as configured: this node counts alone, or cannot save them.',
      () => Number(counters.trouble() !== undefined),
    ],
    pets_disk_free_bytes: ['Free bytes on the disk of a SQLite database.', () => freeBytes().catch(() => undefined)],
  }
}

function ofBackups(backups: BackupStatus): MetricsByName {
  return {
    pets_backup_last_success_timestamp_seconds: [
      'When the newest scheduled backup was made, in Unix seconds; 0 if there is none.',
      () => inSeconds(backups.lastSuccessMs),
    ],
    pets_backup_copied_timestamp_seconds: [
      'When backups were last copied elsewhere, in Unix seconds, from the time of the file `copied`; 0 without it.',
      () => inSeconds(backups.copiedMs),
    ],
    pets_backups_in_doubt: [
      '1 while the folder contains backups of another database, or backups with animals of a database that has none.',
      () => Number(backups.doubt !== undefined),
    ],
    pets_backup_failures_total: ['Backups that failed since the service started.', () => backups.failures],
  }
}

function ofCertificates({ certificate, publicCertificates }: RegistryOptions): MetricsByName {
  return {
    pets_certificate_not_after_timestamp_seconds: [
      'Expiry of certificates in Unix seconds: of this service, and by address of those that clients see.',
      () => [
        ...(certificate.endsMs === undefined ? [] : [{ value: inSeconds(certificate.endsMs) }]),
        ...[...publicCertificates.endsMs].map(([address, ms]) => ({ labels: { address }, value: inSeconds(ms) })),
      ],
    ],
  }
}

function ofPublishing(publishing: PublishingStatus): MetricsByName {
  return {
    pets_publish_last_success_timestamp_seconds: [
      'When the public page was last written, in Unix seconds; 0 if it was not yet.',
      () => inSeconds(publishing.lastSuccessMs),
    ],
    pets_publish_failures_total: [
      'Failed attempts to write the public page since the service started.',
      () => publishing.failures,
    ],
  }
}

/** Unknown without the database. */
function ofKeys(read: ReturnType<typeof keyStatistics>): MetricsByName {
  const figure = (name: 'banned' | 'nearLimit' | 'ending') => () =>
    read()
      .then((figures) => figures[name])
      .catch(() => undefined)
  return {
    pets_keys_banned: ['Banned keys among the thousand used most recently today.', figure('banned')],
    pets_keys_near_limit: [
      'Keys that used 80% of their daily limit, among the thousand used most recently today.',
      figure('nearLimit'),
    ],
    pets_keys_ending: [
      'Keys that expire within a week, among the thousand used most recently today.',
      figure('ending'),
    ],
  }
}

/** Among the thousand keys used most recently today. Reads at most once a minute. Rejects with StoreUnavailable. */
export function keyStatistics(parts: KeyUseParts) {
  let cache: { readonly figures: ReturnType<typeof count>; readonly untilMs: number } | undefined
  const { clock } = parts
  const count = async () => {
    const nowMs = clock.now()
    const usedKeys = (await keysUsedToday(parts)).filter(({ key }) => isInForce(key, nowMs))
    return {
      banned: usedKeys.filter(({ banned }) => banned).length,
      nearLimit: usedKeys.filter(({ key, dayUsed }) => dayUsed >= NEAR_LIMIT * key.perDay).length,
      ending: usedKeys.filter(({ key }) => key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs + SOON_MS).length,
    }
  }
  return () => {
    if (cache === undefined || cache.untilMs <= clock.monotonic()) {
      cache = { figures: count(), untilMs: clock.monotonic() + MINUTE_MS }
      cache.figures.catch(() => {
        cache = undefined
      })
    }
    return cache.figures
  }
}
