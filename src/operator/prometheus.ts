/** The service's numbers in Prometheus' form. Values are read when somebody scrapes, so counting itself stays cheap. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type Clock, DAY_MS, MINUTE_MS } from '../common/clock.ts'
import { VERSION } from '../common/version.ts'
import type { Counters } from '../counters/counters.ts'
import type { Access } from '../domain/access.ts'
import { DURATION_BUCKETS_S, type Metrics } from '../http/metrics.ts'
import { isInForce } from '../rules/keys.ts'
import { NEAR, SOON_MS } from '../store/maintenance.ts'
import type { Store } from '../store/store.ts'
import type { EventLoopDelay } from './event-loop-delay.ts'
import { type KeyUseParts, keysUsedToday } from './key-use.ts'

const DURATION = 'pets_http_request_duration_seconds'

/** Gauges of prom-client with the ending of a counter; each is the sum of a metric that stays. */
const MISNAMED_GAUGES = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']
/** Gauges of prom-client that come from a timer, which would wake an idle process a hundred times a second. */
const TIMER_GAUGES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (part) => `nodejs_eventloop_lag_${part}_seconds`,
)

/** Gauges by undocumented functions of node, which were seen to abort it; `nodejs_active_resources` says the same. */
const UNSAFE_GAUGES = ['nodejs_active_handles', 'nodejs_active_requests']

/** The state of scheduled backups. */
export interface BackupStatus {
  readonly failures: number
  /** Why the last one failed; undefined if it did not. */
  readonly failure: string | undefined
  /** Why backups are kept that would be removed; undefined if none are. */
  readonly doubt: string | undefined
  /** Unix ms; undefined when there is none. */
  readonly lastSuccessMs: number | undefined
  /** How often one is made. */
  readonly everyMs: number
  /** When they were last copied elsewhere, as the file `copied` in their folder says; undefined without one. */
  readonly copiedMs: number | undefined
}

/** The state of the public page. */
export interface PublishingStatus {
  readonly failures: number
  /** Why it is not as the animals are; undefined if it is. */
  readonly failure: string | undefined
  /** Unix ms; undefined when it was not written yet. */
  readonly lastSuccessMs: number | undefined
}

/** The certificate that new connections get. */
export interface CertificateStatus {
  /** Unix ms; undefined where there is none. */
  readonly endsMs: number | undefined
}

interface RegistryOptions {
  readonly metrics: Metrics
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly counters: Counters
  /** Undefined where none are made. */
  readonly backups: BackupStatus | undefined
  readonly publishing: PublishingStatus | undefined
  readonly certificate: CertificateStatus
  readonly delay: EventLoopDelay
  /** What is free on the disk of the database; resolves to undefined where that is another machine's. */
  readonly freeBytes: () => Promise<number | undefined>
}

export function buildRegistry(options: RegistryOptions): Registry {
  const { metrics, store, counters, backups, publishing, certificate } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DAY_MS })
  for (const name of [...MISNAMED_GAUGES, ...UNSAFE_GAUGES, ...TIMER_GAUGES]) registry.removeSingleMetric(name)
  addProcess(registry, options.delay)
  addRequests(registry, metrics)
  addStore(registry, store, counters)
  addDisk([registry], options.freeBytes)
  addKeys([registry], keyStatistics(options))
  if (backups !== undefined) addBackups([registry], backups)
  if (publishing !== undefined) addPublishing([registry], publishing)
  if (certificate.endsMs !== undefined) addCertificate([registry], certificate)
  return registry
}

/** What runs, and how late its event loop is. */
function addProcess(registry: Registry, delay: EventLoopDelay): void {
  const registers = [registry]
  new Gauge({
    name: 'pets_build_info',
    help: 'Always 1; its labels are the version of the service and that of Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.version }, 1)
  new Gauge({
    name: 'pets_event_loop_delay_seconds',
    help: 'How late the event loop ran since the last scrape, while it had something to do, by percentile.',
    labelNames: ['percentile'],
    registers,
    collect() {
      for (const percentile of [50, 99, 100]) {
        this.set({ percentile: String(percentile) }, delay.quantileMs(percentile / 100) / 1000)
      }
      delay.reset()
    },
  })
}

function addRequests(registry: Registry, metrics: Metrics): void {
  const registers = [registry]
  new Counter({
    name: 'pets_http_requests_total',
    help: 'Answers by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [operation, { statuses }] of metrics.operations) {
        for (const [status, n] of statuses) this.inc({ operation, status: String(status) }, n)
      }
    },
  })
  registry.registerMetric(durationHistogram(metrics))
  new Counter({
    name: 'pets_http_aborted_total',
    help: 'Requests whose client hung up before their bodies had arrived.',
    registers,
    collect() {
      this.reset()
      this.inc(metrics.aborted)
    },
  })
  new Counter({
    name: 'pets_limit_decisions_total',
    help: 'Requests admitted and refused by plan; anonymous are those without a valid key.',
    labelNames: ['plan', 'decision'],
    registers,
    collect() {
      this.reset()
      for (const [plan, { admitted, refused }] of metrics.plans) {
        this.inc({ plan, decision: 'admitted' }, admitted)
        this.inc({ plan, decision: 'refused' }, refused)
      }
    },
  })
  new Counter({
    name: 'pets_limit_warnings_total',
    help: 'How often a key has used such a share, in percent, of the limit of such a window (--warn-at).',
    labelNames: ['window', 'share'],
    registers,
    collect() {
      this.reset()
      for (const [name, n] of metrics.warnings) {
        const [window = '', share = ''] = name.split(' ')
        this.inc({ window, share }, n)
      }
    },
  })
}

function addStore(registry: Registry, store: Store, counters: Counters): void {
  const registers = [registry]
  new Counter({
    name: 'pets_commits_total',
    help: 'Commits that made new animals durable.',
    registers,
    collect() {
      this.reset()
      this.inc(store.commits.count)
    },
  })
  new Counter({
    name: 'pets_committed_rows_total',
    help: 'Animals in those commits; divided by the commits, the rows per commit.',
    registers,
    collect() {
      this.reset()
      this.inc(store.commits.rows)
    },
  })
  new Gauge({
    name: 'pets_animals',
    help: 'Animals by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset()
      try {
        for (const [status, n] of Object.entries(await store.pets.count())) this.set({ status }, n)
      } catch {
        // Without the database the animals are unknown; the other numbers are needed all the more.
      }
    },
  })
  new Gauge({
    name: 'pets_counters_degraded',
    help: '1 while counters are not kept as configured (counted by this node alone, or not saved).',
    registers,
    collect() {
      this.set(counters.trouble() === undefined ? 0 : 1)
    },
  })
}

function addDisk(registers: Registry[], freeBytes: () => Promise<number | undefined>): void {
  new Gauge({
    name: 'pets_disk_free_bytes',
    help: 'What is free on the disk of an embedded database.',
    registers,
    async collect() {
      const free = await freeBytes().catch(() => undefined)
      if (free === undefined) this.remove()
      else this.set(free)
    },
  })
}

function addBackups(registers: Registry[], backups: BackupStatus): void {
  new Gauge({
    name: 'pets_backup_last_success_timestamp_seconds',
    help: 'When the newest backup was made that the service made by itself, in Unix seconds; 0 when there is none.',
    registers,
    collect() {
      this.set((backups.lastSuccessMs ?? 0) / 1000)
    },
  })
  new Gauge({
    name: 'pets_backup_interval_seconds',
    help: 'How often the service makes a backup by itself.',
    registers,
  }).set(backups.everyMs / 1000)
  new Gauge({
    name: 'pets_backup_copied_timestamp_seconds',
    help: 'When backups were last copied elsewhere, in Unix seconds, as the file `copied` beside them says; 0 without it.',
    registers,
    collect() {
      this.set((backups.copiedMs ?? 0) / 1000)
    },
  })
  new Gauge({
    name: 'pets_backups_in_doubt',
    help: '1 while the folder holds backups of another database, or with animals that this one no longer has.',
    registers,
    collect() {
      this.set(backups.doubt === undefined ? 0 : 1)
    },
  })
  new Counter({
    name: 'pets_backup_failures_total',
    help: 'Backups that failed since the service started.',
    registers,
    collect() {
      this.reset()
      this.inc(backups.failures)
    },
  })
}

function addPublishing(registers: Registry[], publishing: PublishingStatus): void {
  new Gauge({
    name: 'pets_publish_last_success_timestamp_seconds',
    help: 'When the public page was last brought up to date, in Unix seconds; 0 when it was not yet.',
    registers,
    collect() {
      this.set((publishing.lastSuccessMs ?? 0) / 1000)
    },
  })
  new Counter({
    name: 'pets_publish_failures_total',
    help: 'How often the public page could not be written since the service started.',
    registers,
    collect() {
      this.reset()
      this.inc(publishing.failures)
    },
  })
}

function addKeys(registers: Registry[], read: ReturnType<typeof keyStatistics>): void {
  const add = (name: string, help: string, figure: keyof KeyStatistics) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // Without the database they are unknown.
        await read().then(
          (figures) => this.set(figures[figure]),
          () => this.remove(),
        )
      },
    })
  add('pets_keys_banned', 'Keys used today that are banned, of the thousand used last.', 'banned')
  add('pets_keys_near_limit', 'Keys that have used 80 % of their day, of the thousand used last.', 'nearLimit')
  add('pets_keys_ending', 'Keys used today that end within a week, of the thousand used last.', 'ending')
}

function addCertificate(registers: Registry[], certificate: CertificateStatus): void {
  new Gauge({
    name: 'pets_certificate_not_after_timestamp_seconds',
    help: 'When the certificate in use ends, in Unix seconds.',
    registers,
    collect() {
      this.set((certificate.endsMs ?? 0) / 1000)
    },
  })
}

/**
 * A histogram whose buckets are kept elsewhere: prom-client only knows how to fill its own, one observation at a time.
 */
function durationHistogram(metrics: Metrics) {
  const histogram = {
    name: DURATION,
    help: 'Seconds from the end of a request’s headers to its answer.',
    type: 'histogram' as const,
    aggregator: 'sum' as const,
    get: async () => ({ ...histogram, values: values() }),
  }
  const values = () =>
    [...metrics.operations].flatMap(([operation, { buckets, seconds }]) => {
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
  return histogram as unknown as Gauge
}

interface KeyStatistics {
  readonly banned: number
  readonly nearLimit: number
  readonly ending: number
}

/**
 * How many keys are banned, near the limit of their day, or end soon, for the metrics: of those used today (UTC), and of these
 * the thousand used last. The counters are asked for some keys in a turn, and once a minute at most. Rejects with
 * StoreUnavailable.
 */
export function keyStatistics(parts: KeyUseParts): () => Promise<KeyStatistics> {
  let cache: { readonly figures: Promise<KeyStatistics>; readonly untilMs: number } | undefined
  const { clock } = parts
  const count = async () => {
    const nowMs = clock.now()
    const used = (await keysUsedToday(parts)).filter(({ key }) => isInForce(key, nowMs))
    return {
      banned: used.filter(({ banned }) => banned).length,
      nearLimit: used.filter(({ key, dayUsed }) => dayUsed >= NEAR * key.perDay).length,
      ending: used.filter(({ key }) => key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs + SOON_MS).length,
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
