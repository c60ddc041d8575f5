/** The running service: opens the store, connects domain and ports, and closes everything in reverse order. */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:net'
import { hostname } from 'node:os'
import type { Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { VERSION } from '../common/version.ts'
import type { BanPolicy } from '../contract/limits.ts'
import { BASE_PATH } from '../contract/operations.ts'
import { openCounters } from '../counters/open.ts'
import { Access } from '../domain/access.ts'
import { issueKey } from '../domain/keys.ts'
import { Ledger } from '../domain/ledger.ts'
import { compileTrustProxy } from '../http/client-address.ts'
import { Metrics } from '../http/metrics.ts'
import { PublicPort, type PublicPortOptions } from '../http/public-port.ts'
import { RequestIds } from '../http/request-id.ts'
import { StoreFailures } from '../http/request-log.ts'
import type { OfficeOptions } from '../office/routes/routes.ts'
import type { OperatorOptions } from '../operator/server.ts'
import type { BackupPlan } from '../store/maintenance.ts'
import { exposedFiles, openStore, scheduleBackups, tryBackupFolder } from '../store/open.ts'
import type { Store, StoreEvents } from '../store/store.ts'
import { assertListensAt, checkPorts, type Port, Shutdown, warmUpTicks } from './lifecycle.ts'
import { startPurging } from './purging.ts'
import { BackupLog, banLog, countersLog, databaseLog, limitWarnings } from './service-log.ts'
import { CurrentCertificate, watchTroubles } from './troubles.ts'

export interface ServiceConfig {
  readonly host: string
  readonly port: number
  readonly database: string
  /** Whether a SQLite database that is not there is made, or refused. */
  readonly mustExist: boolean
  /** The number of a group that may read new files; undefined if they are for their owner alone. */
  readonly fileGroup: number | undefined
  readonly counters: string | undefined
  readonly countersDown: 'local' | 'refuse'
  readonly operatorPort: number | undefined
  readonly operatorHost: string
  /**
   * Sockets that listen already, as file descriptors, in the place of the ports: another process holds them, and hands
   * them to the next one as well.
   */
  readonly sockets?: { readonly public: number; readonly operator: number | undefined } | undefined
  /** The office on the operator port; undefined without it. */
  readonly office: OfficeConfig | undefined
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly bufferBytes: number
  readonly trustProxy: readonly string[]
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly publicUrl: string | undefined
  /**
   * Shows the first key, which is then stored; without it no first key is issued. `baseUrl` is where the key can be
   * used.
   */
  readonly showFirstKey: ((secret: string, baseUrl: string) => Promise<void>) | undefined
  readonly pages: boolean
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  readonly ban: BanPolicy | undefined
  /** The shares of a limit, in percent, at which a warning is due; undefined without one. */
  readonly warnAt: readonly number[] | undefined
  /** Makes backups of a SQLite file by itself. */
  readonly backups: BackupPlan | undefined
  /** The folder of the public page; undefined without one. */
  readonly page: string | undefined
  /** That the office and the page show; undefined if it is the one that the office keeps. */
  readonly shelterName: string | undefined
  readonly timeouts: PublicPortOptions['timeouts']
}

export interface OfficeConfig {
  /** The base address as people see it, without a trailing slash; undefined if it is that of the operator port. */
  readonly url: string | undefined
  /** Whether the operator port speaks TLS, with the certificate of the public port. */
  readonly isTls: boolean
  /** The first operator, whose invitation is shown at the start while nobody has come in; undefined if none is made. */
  readonly first: { readonly name: string; readonly show: (link: string) => Promise<void> } | undefined
}

export interface Service {
  /** The base address of the interface, ending in /v1. */
  readonly baseUrl: string
  /** Where this process listens, which a proxy may hide. */
  readonly listensAt: string
  readonly operatorUrl: string | undefined
  /** As people see it, without a trailing slash. */
  readonly officeUrl: string | undefined
  /** The number of animals and keys in the database. */
  count(): Promise<{ readonly animals: number; readonly keys: number }>
  /** Uses another certificate for new connections. Throws if it cannot be used; the old one then stays in use. */
  setCertificate(tls: { readonly cert: Buffer; readonly key: Buffer }): void
  /** No other certificate could be read, for this reason. */
  reportCertificateFailure(reason: string): void
  /**
   * Stops accepting, finishes the requests in flight, saves the counters, closes the store. Takes 10 s at most; with
   * `sockets` connections have 5 s more before.
   */
  stop(): Promise<void>
  /** After an uncaught exception: saves the counters and closes the store, and leaves everything else as it is. */
  closeData(): Promise<void>
  /** The request that began last, for the log. */
  latestRequest(): Record<string, unknown> | undefined
}

/**
 * Throws StoreUnusable, or the system's error if a port cannot be opened; nothing is left open then. `opens` is called
 * before a port listens: what connects from then on is lost if the process ends without `stop`.
 */
export async function startService(
  config: ServiceConfig,
  log: Logger,
  clock: Clock,
  opens: () => void = () => {},
): Promise<Service> {
  const shutdown = new Shutdown()
  await warmUpTicks()
  await checkPorts(config)
  await checkFolders(config)
  try {
    const metrics = new Metrics()
    const count503 = () => metrics.responsesWith(503)
    const outage = databaseLog(log, clock, count503)
    const store = await openDatabase(config, log, clock, outage)
    shutdown.addData(() => store.close())
    const own = await startBackgroundWork(config, store, shutdown, log, clock)
    const { counters: url, countersDown: whenDown } = config
    const told = countersLog(log, clock, whenDown, count503)
    const counters = await openCounters(store, { url, whenDown, clock, ...told })
    shutdown.addData(() => counters.close())
    const { ban, anonymousPerMinute } = config
    const ledger = new Ledger({ store, clock, process: randomBytes(8).toString('hex') })
    const warnings = config.warnAt && limitWarnings(config.warnAt, metrics, log, clock)
    const onBan = banLog(log)
    const access = new Access({ keys: store.keys, counters, ledger, clock, ban, onBan, anonymousPerMinute, warnings })
    shutdown.addData(() => access.close())
    const pages = config.pages ? (await import('../pages/pages.ts')).loadPages(config, clock) : undefined
    const failures = new StoreFailures(log, clock)
    const options = { ...config, pages, pets: store.pets, access, clock, metrics, log, failures, makeRequestId }
    const publicPort = new PublicPort(options)

    const certificate = new CurrentCertificate(config.tls?.cert)
    const troubles = watchTroubles({ ...own, clock, outage, failures, counters, certificate })
    // Until the ports listen nobody can ask.
    const addresses = { baseUrl: '', officeUrl: config.office?.url ?? 'http://localhost' }
    let operator: OperatorPort | undefined
    opens()
    if (config.operatorPort !== undefined) {
      const parts = { ...own, store, counters, access, metrics, clock, log, failures, troubles, certificate }
      operator = await openOperatorPort(config, config.operatorPort, parts, addresses, () => publicPort.isDraining)
      shutdown.addPort(operator)
    }
    const { showFirstKey } = config
    const isFirst = showFirstKey !== undefined && (await store.keys.list({ limit: 1 })).length === 0
    // Whoever is shown the first key may use it before it is stored.
    const firstKeyStored = isFirst ? Promise.withResolvers<void>() : undefined
    const baseUrl = await openPublicPort(config, publicPort, shutdown, firstKeyStored?.promise)
    addresses.baseUrl = baseUrl
    if (isFirst) await issueFirstKey((secret) => showFirstKey(secret, baseUrl), store, clock)
    firstKeyStored?.resolve()
    const first = config.office?.first
    if (first !== undefined) await inviteFirstOperator(first, addresses.officeUrl, store, clock)
    const officeUrl = config.office === undefined ? undefined : addresses.officeUrl
    const operatorUrl = operator?.url
    store.announce({ pid: process.pid, version: VERSION, sinceMs: clock.now(), baseUrl, operatorUrl, officeUrl })
    return {
      ...{ baseUrl, operatorUrl, officeUrl },
      listensAt: urlOf(publicPort.server, config.tls === undefined ? 'http' : 'https'),
      async count() {
        const animals = Object.values(await store.pets.count()).reduce((sum, n) => sum + n, 0)
        return { animals, keys: await store.keys.count() }
      },
      setCertificate(tls) {
        for (const server of [publicPort.server, operator?.server].filter(speaksTls)) server.setSecureContext(tls)
        certificate.replace(tls.cert)
      },
      reportCertificateFailure: (reason) => certificate.reportFailure(reason),
      stop: () => shutdown.run(),
      closeData: () => shutdown.closeData(),
      latestRequest: () => publicPort.latestRequest(),
    }
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

/** Throws ExplainedError. */
async function checkFolders({ database, backups, page }: ServiceConfig): Promise<void> {
  if (backups !== undefined) await tryBackupFolder(database, backups)
  if (page !== undefined) (await import('../public-page/folder.ts')).prepareFolder(page)
}

/** Throws StoreUnusable. */
async function openDatabase(config: ServiceConfig, log: Logger, clock: Clock, events: StoreEvents): Promise<Store> {
  const { database, fileGroup, mustExist } = config
  const report = (trouble: string) => log.error(trouble)
  const onUpgrade = (sentence: string) => log.warn(sentence)
  const store = await openStore(database, { serving: true, clock, events, report, onUpgrade, fileGroup, mustExist })
  const exposed = await exposedFiles(database, { backups: config.backups?.folder, fileGroup })
  if (exposed !== undefined) log.warn(exposed)
  return store
}

async function issueFirstKey(show: (secret: string) => Promise<void>, store: Store, clock: Clock): Promise<void> {
  await issueKey(
    { store, clock, randomBytes, who: 'service', show: ({ secret }) => show(secret) },
    { plan: 'free', custom: undefined, label: 'first key', expiresAtMs: undefined },
  )
}

async function inviteFirstOperator(
  { name, show }: NonNullable<OfficeConfig['first']>,
  officeUrl: string,
  store: Store,
  clock: Clock,
): Promise<void> {
  const { invitationLink, inviteFirst } = await import('../domain/people.ts')
  const showLink = ({ secret }: { secret: string }) => show(invitationLink(officeUrl, secret))
  await inviteFirst({ store, clock, randomBytes, who: 'service', show: showLink }, name)
}

/** Without loading node:tls, which takes some ms of a start that needs none. */
function speaksTls(server: Server | undefined): server is TlsServer {
  return server !== undefined && 'setSecureContext' in server
}

interface OperatorPort extends Port {
  readonly server: Server
  readonly url: string
}

/** Returns the base address. Requests wait for `opening`. */
async function openPublicPort(
  config: ServiceConfig,
  publicPort: PublicPort,
  shutdown: Shutdown,
  opening: Promise<void> | undefined,
): Promise<string> {
  const { host, port, sockets, tls, publicUrl } = config
  const assertAt = sockets && (await assertListensAt(publicPort.server, host, port))
  await publicPort.listen(host, port, sockets?.public, opening)
  const close = () => publicPort.close()
  shutdown.addPort(sockets === undefined ? { close } : { close, handOver: () => publicPort.handOver() })
  assertAt?.()
  return publicUrl ?? `${urlOf(publicPort.server, tls === undefined ? 'http' : 'https')}${BASE_PATH}`
}

/** Fills in `addresses.officeUrl`, and reads both addresses when they are needed. */
async function openOperatorPort(
  config: ServiceConfig,
  port: number,
  parts: Omit<OperatorOptions, 'host' | 'isDraining' | 'tls' | 'requestIds' | 'office'> &
    Pick<OfficeOptions, 'failures'>,
  addresses: { baseUrl: string; officeUrl: string },
  isDraining: () => boolean,
): Promise<OperatorPort> {
  const { buildOperatorServer } = await import('../operator/server.ts')
  const { createCloser: operatorCloser } = await import('../operator/connections.ts')
  const { bodyLimit, office, operatorHost: host } = config
  const fd = config.sockets?.operator
  const tls = office?.isTls ? config.tls : undefined
  const trustProxy = compileTrustProxy(config.trustProxy)
  const officeOptions: OfficeOptions = {
    ...parts,
    shelterName: config.shelterName,
    randomBytes,
    bodyLimit,
    trustProxy,
    get baseUrl() {
      return addresses.baseUrl
    },
    get officeUrl() {
      return addresses.officeUrl
    },
  }
  const operator = buildOperatorServer({
    ...parts,
    host,
    isDraining,
    tls,
    requestIds: new RequestIds(makeRequestId, trustProxy),
    office: office && (await import('../office/office.ts')).officeOnPort(officeOptions),
  })
  const closer = operatorCloser(operator, parts.clock)
  const assertAt = fd === undefined ? undefined : await assertListensAt(operator.server, host, port)
  await operator.listen({ host, port, ...(fd !== undefined && { fd }) })
  assertAt?.()
  const url = urlOf(operator.server, tls === undefined ? 'http' : 'https')
  // An address that stands for all of this machine's is none to visit.
  addresses.officeUrl = office?.url ?? url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, `//${hostname()}`)
  const { close, part } = closer
  return { server: operator.server, url, close, ...(fd !== undefined && { handOver: part }) }
}

async function startBackups(plan: BackupPlan, database: string, log: Logger, clock: Clock) {
  const told = new BackupLog(log)
  const backups = await scheduleBackups(database, {
    ...plan,
    clock,
    onMade: (file, animals) => told.made(file, animals),
    onFailed: (error) => told.failed(error),
  })
  backups.start()
  return backups
}

/** What the service does by itself, beside its requests. */
async function startBackgroundWork(config: ServiceConfig, store: Store, shutdown: Shutdown, log: Logger, clock: Clock) {
  const { database, page, shelterName } = config
  shutdown.addData(startPurging(store, log, clock))
  const backups = config.backups && (await startBackups(config.backups, database, log, clock))
  if (backups !== undefined) shutdown.addData(() => backups.close())
  const publishing =
    page === undefined
      ? undefined
      : new (await import('./publishing.ts')).Publishing({ store, database, folder: page, shelterName, log, clock })
  if (publishing !== undefined) shutdown.addData(() => publishing.close())
  return { backups, publishing }
}

function makeRequestId(): string {
  return `req_${randomBytes(6).toString('hex')}`
}

function urlOf(server: Server, scheme: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
