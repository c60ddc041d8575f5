/** The running service: opens the store, connects domain and ports, and closes everything in reverse order. */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:net'
import { hostname } from 'node:os'
import type { Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { assertUsable } from '../common/certificate.ts'
import type { Clock } from '../common/clock.ts'
import { VERSION } from '../common/version.ts'
import type { BanPolicy } from '../contract/limits.ts'
import { BASE_PATH } from '../contract/operations.ts'
import { assertCountersAddress, openCounters } from '../counters/open.ts'
import { Access } from '../domain/access.ts'
import { makeKey, storeKey } from '../domain/keys.ts'
import { LedgerBuffer } from '../domain/ledger.ts'
import { compileTrustProxy } from '../http/client-address.ts'
import { Metrics } from '../http/metrics.ts'
import { PublicPort, type PublicPortOptions } from '../http/public-port.ts'
import { requestIds } from '../http/request-id.ts'
import { StoreFailures } from '../http/request-log.ts'
import type { OfficeOptions } from '../office/routes/routes.ts'
import type { OperatorOptions } from '../operator/server.ts'
import { labelOf } from '../rules/labels.ts'
import { assertMakesBackups, freeBytesFor, openStore } from '../store/open.ts'
import type { Store, StoreEvents } from '../store/store.ts'
import type { BackupPlan } from './backups.ts'
import { CurrentCertificate, watchFindings } from './findings.ts'
import { checkPorts, type Listener, type PortSettings, Shutdown, socketAssertion, warmUpTicks } from './lifecycle.ts'
import { PublicCertificates } from './public-certificates.ts'
import { startPurging } from './purging.ts'
import { banLog, countersLog, databaseLog } from './service-log.ts'

type OfPublicPort = 'bodyLimit' | 'bufferBytes' | 'pageLinks' | 'corsOrigins' | 'trustProxy' | 'publicUrl' | 'timeouts'

export interface ServiceConfig extends PortSettings, Pick<PublicPortOptions, OfPublicPort> {
  readonly database: string
  readonly mustExist: boolean
  readonly counters: string | undefined
  readonly office: OfficeConfig | undefined
  readonly anonymousPerMinute: number
  /** Shows the first key before it is stored. Undefined if none is to be created. */
  readonly showFirstKey: ((secret: string, baseUrl: string) => Promise<void>) | undefined
  readonly pages: boolean
  readonly ban: BanPolicy | undefined
  readonly backups: BackupPlan | undefined
  readonly page: string | undefined
  readonly removedSettings: readonly string[]
  /** The value of the removed setting `shelter-name`, used if Settings has no name. */
  readonly formerShelterName: string | undefined
}

export interface OfficeConfig {
  /** Undefined for the address of the operator port. */
  readonly url: string | undefined
  /** With the certificate of the public port. */
  readonly isTls: boolean
  /** The first operator, whose invite link is shown at each start until it is accepted. */
  readonly first: { readonly name: string; readonly show: (link: string) => Promise<void> } | undefined
}

export interface Service {
  /** Ends in /v1. */
  readonly baseUrl: string
  /** Where this process itself listens, also behind a proxy. */
  readonly listensAt: string
  readonly operatorUrl: string | undefined
  readonly officeUrl: string | undefined
  count(): Promise<{ readonly animals: number; readonly keys: number }>
  /** Throws if the certificate is invalid; the old one then stays in use. */
  setCertificate(tls: { readonly cert: Buffer; readonly key: Buffer }): void
  reportCertificateFailure(reason: string): void
  /** Finishes the requests in progress, saves the counters and closes the store, within 9 s. */
  stop(): Promise<void>
  /** After an uncaught exception: saves the counters and closes the store. */
  closeResources(): Promise<void>
  latestRequest(): Record<string, unknown> | undefined
}

/** Throws StoreUnusable or the system's error, leaving nothing open. After `opens`, the process must end by `stop`. */
export async function startService(
  config: ServiceConfig,
  log: Logger,
  clock: Clock,
  opens: () => void = () => {},
): Promise<Service> {
  const shutdown = new Shutdown(clock, (why) => log.warn(why))
  assertCountersAddress(config.counters)
  await warmUpTicks()
  await checkPorts(config)
  if (config.backups !== undefined) await assertMakesBackups(config.database)
  if (config.page !== undefined) (await import('../public-page/folder.ts')).prepareFolder(config.page)
  try {
    const metrics = new Metrics()
    const outage = databaseLog(log, clock, () => metrics.responsesWith(503))
    const store = await openDatabase(config, log, clock, outage)
    shutdown.addResource(() => store.close())
    shutdown.signal.addEventListener('abort', () => store.stopWork?.())
    const own = await startBackgroundWork(config, store, shutdown, log, clock)
    const counters = await openCounters(store, { url: config.counters, clock, ...countersLog(log, clock) })
    shutdown.addResource(() => counters.close())
    const { ban, anonymousPerMinute, removedSettings } = config
    const { onAttempt } = outage
    const ledger = new LedgerBuffer({ store, clock, onAttempt })
    const onBan = banLog(log)
    const access = new Access({ store, counters, ledger, clock, ban, onBan, onAttempt, anonymousPerMinute })
    shutdown.addResource(() => access.close())
    const pages = config.pages ? (await import('./pages.ts')).loadPages(config, clock) : undefined
    const failures = new StoreFailures(log, clock)
    const options = { ...config, pages, store, access, clock, metrics, log, failures, makeRequestId }
    const publicPort = new PublicPort(options)

    const certificate = new CurrentCertificate(config.tls?.cert)
    const freeBytes = () => freeBytesFor(config.database)
    const sources = { ...own, store, clock, outage, failures, counters, certificate, removedSettings, freeBytes }
    // Filled in when the ports listen; not read before.
    const addresses = { baseUrl: '', officeUrl: config.office?.url ?? 'http://localhost' }
    let operator: OperatorPort | undefined
    opens()
    if (config.operatorPort !== undefined) {
      const parts = { ...sources, access, metrics, log, findings: watchFindings(sources) }
      operator = await openOperatorPort(config, config.operatorPort, parts, addresses, () => publicPort.isDraining)
      shutdown.addPort(operator)
    }
    const baseUrl = await openPublicPort(config, publicPort, shutdown, store, clock)
    addresses.baseUrl = baseUrl
    if (config.office?.first) await inviteFirstOperator(config.office.first, addresses.officeUrl, store, clock)
    const officeUrl = config.office === undefined ? undefined : addresses.officeUrl
    const listensAt = urlOf(publicPort.server, config.tls === undefined ? 'http' : 'https')
    const at = { baseUrl, listensAt, operatorUrl: operator?.url, officeUrl }
    const note = { database: await store.identity(), pid: process.pid, version: VERSION, sinceMs: clock.now() }
    store.announce({ ...note, ...at })
    return {
      ...at,
      async count() {
        const animals = Object.values(await store.pets.count()).reduce((sum, n) => sum + n, 0)
        return { animals, keys: await store.keys.count() }
      },
      setCertificate(tls) {
        assertUsable(tls)
        for (const server of [publicPort.server, operator?.server].filter(speaksTls)) server.setSecureContext(tls)
        certificate.replace(tls.cert)
      },
      reportCertificateFailure: (reason) => certificate.reportFailure(reason),
      stop: () => shutdown.run(),
      closeResources: () => shutdown.closeResources(),
      latestRequest: () => publicPort.latestRequest(),
    }
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

async function openDatabase(config: ServiceConfig, log: Logger, clock: Clock, events: StoreEvents): Promise<Store> {
  const { database, mustExist } = config
  const report = (trouble: string) => log.error(trouble)
  const onUpgrade = (sentence: string) => log.warn(sentence)
  return openStore(database, { serving: true, clock, events, report, onUpgrade, mustExist })
}

/** The key is shown before it is stored, so a start that cannot show it leaves none. */
async function issueFirstKey(show: (secret: string) => Promise<void>, store: Store, clock: Clock): Promise<void> {
  const issuer = { store, clock, randomBytes, who: 'service' }
  const key = makeKey(issuer, { plan: 'free', custom: undefined, label: 'first key', expiresAtMs: undefined })
  await show(key.secret)
  await storeKey(issuer, key)
}

async function inviteFirstOperator(
  { name, show }: NonNullable<OfficeConfig['first']>,
  officeUrl: string,
  store: Store,
  clock: Clock,
): Promise<void> {
  const { invitationLink, inviteFirst } = await import('../domain/people.ts')
  const invitation = await inviteFirst({ store, clock, randomBytes, who: 'service' }, name)
  if (invitation !== undefined) await show(invitationLink(officeUrl, invitation.secret))
}

/** Avoids importing node:tls, which would slow down a start without TLS. */
function speaksTls(server: Server | undefined): server is TlsServer {
  return server !== undefined && 'setSecureContext' in server
}

interface OperatorPort extends Listener {
  readonly server: Server
  readonly url: string
}

/** Returns the base address. Requests wait until the first key is stored. */
async function openPublicPort(
  config: ServiceConfig,
  publicPort: PublicPort,
  shutdown: Shutdown,
  store: Store,
  clock: Clock,
): Promise<string> {
  const { host, port, sockets, tls, publicUrl, showFirstKey } = config
  const isFirst = showFirstKey !== undefined && (await store.keys.list({ limit: 1 })).length === 0
  const firstKeyStored = isFirst ? Promise.withResolvers<void>() : undefined
  const assertSocket = sockets && (await socketAssertion(publicPort.server, host, port))
  await publicPort.listen(host, port, sockets?.public, firstKeyStored?.promise)
  const close = () => publicPort.close()
  shutdown.addPort(sockets === undefined ? { close } : { close, handOver: () => publicPort.handOver() })
  assertSocket?.()
  const baseUrl = publicUrl ?? `${urlOf(publicPort.server, tls === undefined ? 'http' : 'https')}${BASE_PATH}`
  if (isFirst) await issueFirstKey((secret) => showFirstKey(secret, baseUrl), store, clock)
  firstKeyStored?.resolve()
  return baseUrl
}

/** Sets `addresses.officeUrl`. */
async function openOperatorPort(
  config: ServiceConfig,
  port: number,
  parts: Omit<OperatorOptions, 'host' | 'database' | 'isDraining' | 'tls' | 'idOf' | 'office'> &
    Pick<OfficeOptions, 'failures' | 'publishing'>,
  addresses: { baseUrl: string; officeUrl: string },
  isDraining: () => boolean,
): Promise<OperatorPort> {
  const { buildOperatorServer } = await import('../operator/server.ts')
  const { createCloser } = await import('../operator/connections.ts')
  const { bodyLimit, office, operatorHost: host } = config
  const fd = config.sockets?.operator
  const tls = office?.isTls ? config.tls : undefined
  const trustProxy = compileTrustProxy(config.trustProxy)
  const officeOptions: OfficeOptions = {
    ...parts,
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
    database: await parts.store.identity(),
    isDraining,
    tls,
    idOf: requestIds(makeRequestId, trustProxy),
    office: office && (await import('../office/office.ts')).officeOnPort(officeOptions),
  })
  const { close, handOver } = createCloser(operator, parts.clock)
  const assertSocket = fd === undefined ? undefined : await socketAssertion(operator.server, host, port)
  await operator.listen({ host, port, ...(fd !== undefined && { fd }) })
  assertSocket?.()
  const url = urlOf(operator.server, tls === undefined ? 'http' : 'https')
  // Browsers cannot visit 0.0.0.0 or ::, but the host name works.
  addresses.officeUrl = office?.url ?? url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, `//${hostname()}`)
  return { server: operator.server, url, close, ...(fd !== undefined && { handOver }) }
}

async function startBackgroundWork(config: ServiceConfig, store: Store, shutdown: Shutdown, log: Logger, clock: Clock) {
  const { database, page } = config
  await keepShelterName(config.formerShelterName, store, clock)
  const { signal } = shutdown
  shutdown.addResource(startPurging(store, log, clock, signal))
  const publicCertificates = new PublicCertificates([config.publicUrl, config.office?.url], clock, log)
  shutdown.addResource(() => publicCertificates.close())
  const plan = config.backups && { ...config.backups, clock, log, signal }
  const backups = plan && new (await import('./backups.ts')).ScheduledBackups(database, plan)
  backups?.start()
  if (backups !== undefined) shutdown.addResource(() => backups.close())
  const pages = page === undefined ? undefined : { store, database, folder: page, log, clock, signal }
  const publishing = pages && new (await import('./publishing.ts')).Publishing(pages)
  if (publishing !== undefined) shutdown.addResource(() => publishing.close())
  return { publicCertificates, backups, publishing }
}

/** Takes over the removed setting `shelter-name`. */
async function keepShelterName(former: string | undefined, store: Store, clock: Clock): Promise<void> {
  const name = former && labelOf(former)
  if (!name || (await store.words.shelter()).name) return
  await store.words.setShelter({ name }, { who: 'service', atMs: clock.now() })
}

function makeRequestId(): string {
  return `req_${randomBytes(6).toString('hex')}`
}

function urlOf(server: Server, scheme: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
