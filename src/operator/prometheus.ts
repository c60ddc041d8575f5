/** The service's numbers in Prometheus' form. Values are read when somebody scrapes, so counting itself stays cheap. */
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

/** Gauges of prom-client with the ending of a counter; each is the sum of a metric that stays. */
const MISNAMED_GAUGES = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']
/** Gauges of prom-client that come from a timer, which would wake an idle process a hundred times a second. */
const TIMER_GAUGES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (part) => `nodejs_eventloop_lag_${part}_seconds`,
)

/** Gauges by undocumented functions of node, which were seen to abort it; `nodejs_active_resources` says the same. */
const UNSAFE_GAUGES = ['nodejs_active_handles', 'nodejs_active_requests']

/** The state of scheduled backups. */
export interface BackupStatus extends PublishingStatus {
  /** Why backups are kept that would be removed; undefined if none are. */
  readonly doubt: string | undefined
  /** How often one is made. */
  readonly everyMs: number
  /** When they were last copied elsewhere, as the file `copied` in their folder says; undefined without one. */
  readonly copiedMs: number | undefined
}

/** The state of the public page. */
export interface PublishingStatus {
  readonly failures: number
  /** Why the last attempt failed; undefined if it did not. */
  readonly failure: string | undefined
  /** Unix ms; undefined when there was none. */
  readonly lastSuccessMs: number | undefined
}

export interface RegistryOptions {
  readonly metrics: Metrics
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly counters: Counters
  /** Undefined where none are made. */
  readonly backups: BackupStatus | undefined
  readonly publishing: PublishingStatus | undefined
  /** When the certificate that new connections get ends, in Unix ms; undefined where there is none. */
  readonly certificate: { readonly endsMs: number | undefined }
  /** What is free on the disk of the database; resolves to undefined where that is another machine's. */
  readonly freeBytes: () => Promise<number | undefined>
}

interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
  /** Where it is not that of the metric. */
  readonly metricName?: string
}

/** By name, which ends in `_total` for a counter: what it says, and its value, or several; undefined if it is not known. */
type Metric = readonly [help: string, read: () => MaybePromise<readonly Sample[] | number | undefined>]
type MetricsByName = Readonly<Record<string, Metric>>

export function buildRegistry(options: RegistryOptions): Registry {
  const { backups, publishing, certificate } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DAY_MS })
  for (const name of [...MISNAMED_GAUGES, ...UNSAFE_GAUGES, ...TIMER_GAUGES]) registry.removeSingleMetric(name)
  const metrics: MetricsByName = {
    pets_build_info: [
      'Always 1; its labels are the version of the service and that of Node.',
      () => [{ value: 1, labels: { version: VERSION, node: process.version } }],
    ],
    ...ofRequests(options.metrics),
    ...ofStore(options),
    ...ofKeys(keyStatistics(options)),
    ...(backups !== undefined && ofBackups(backups)),
    ...(publishing !== undefined && ofPublishing(publishing)),
    ...(certificate.endsMs !== undefined && {
      pets_certificate_not_after_timestamp_seconds: [
        'When the certificate in use ends, in Unix seconds.',
        () => inSeconds(certificate.endsMs),
      ] as const,
    }),
  }
  for (const [name, metric] of Object.entries(metrics)) registry.registerMetric(toPromMetric(name, metric))
  return registry
}

/** A metric whose numbers are kept elsewhere: those of prom-client count by themselves. */
function toPromMetric(name: string, [help, read]: Metric): PromMetric {
  const type = name.endsWith('_total') ? 'counter' : name === DURATION ? 'histogram' : 'gauge'
  const get = async () => {
    const reading = (await read()) ?? []
    return { name, help, type, aggregator: 'sum', values: typeof reading === 'number' ? [{ value: reading }] : reading }
  }
  return { name, help, type, aggregator: 'sum', get } as unknown as PromMetric
}

/** 0 where there was none. */
function inSeconds(ms = 0): number {
  return ms / 1000
}

const DURATION = 'pets_http_request_duration_seconds'

function ofRequests(metrics: Metrics): MetricsByName {
  return {
    pets_http_requests_total: [
      'Answers by operation and status.',
      () =>
        [...metrics.operations].flatMap(([operation, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
        ),
    ],
    [DURATION]: ['Seconds from the end of a request’s headers to its answer.', () => durations(metrics)],
    pets_limit_decisions_total: [
      'Requests admitted and refused by plan; anonymous are those without a valid key.',
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

/** Without the database the animals are unknown; the other numbers are needed all the more. */
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
      '1 while counters are not kept as configured (counted by this node alone, or not saved).',
      () => Number(counters.trouble() !== undefined),
    ],
    pets_disk_free_bytes: [
      'What is free on the disk of an embedded database.',
      () => freeBytes().catch(() => undefined),
    ],
  }
}

function ofBackups(backups: BackupStatus): MetricsByName {
  return {
    pets_backup_last_success_timestamp_seconds: [
      'When the newest backup was made that the service made by itself, in Unix seconds; 0 when there is none.',
      () => inSeconds(backups.lastSuccessMs),
    ],
    pets_backup_copied_timestamp_seconds: [
      'When backups were last copied elsewhere, in Unix seconds, as the file `copied` beside them says; 0 without it.',
      () => inSeconds(backups.copiedMs),
    ],
    pets_backups_in_doubt: [
      '1 while the folder holds backups of another database, or with animals that this one no longer has.',
      () => Number(backups.doubt !== undefined),
    ],
    pets_backup_failures_total: ['Backups that failed since the service started.', () => backups.failures],
  }
}

function ofPublishing(publishing: PublishingStatus): MetricsByName {
  return {
    pets_publish_last_success_timestamp_seconds: [
      'When the public page was last brought up to date, in Unix seconds; 0 when it was not yet.',
      () => inSeconds(publishing.lastSuccessMs),
    ],
    pets_publish_failures_total: [
      'How often the public page could not be written since the service started.',
      () => publishing.failures,
    ],
  }
}

/** Without the database they are unknown. */
function ofKeys(read: ReturnType<typeof keyStatistics>): MetricsByName {
  const figure = (name: 'banned' | 'nearLimit' | 'ending') => () =>
    read()
      .then((figures) => figures[name])
      .catch(() => undefined)
  return {
    pets_keys_banned: ['Keys used today that are banned, of the thousand used last.', figure('banned')],
    pets_keys_near_limit: ['Keys that have used 80 % of their day, of the thousand used last.', figure('nearLimit')],
    pets_keys_ending: ['Keys used today that end within a week, of the thousand used last.', figure('ending')],
  }
}

/**
 * How many keys are banned, near the limit of their day, or end soon, for the metrics: of those used today (UTC), and of these
 * the thousand used last. The counters are asked for some keys in a turn, and once a minute at most. Rejects with
 * StoreUnavailable.
 */
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
