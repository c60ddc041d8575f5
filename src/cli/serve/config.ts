/** Builds the configuration of the service from the options of `pets serve`, and checks rules across options. */
import type { Logger } from 'pino'
import { userName } from '../../common/user.ts'
import { newPersonName } from '../../domain/person-names.ts'
import type { OfficeConfig, ServiceConfig } from '../../service/service.ts'
import type { Cli } from '../cli.ts'
import { showFirstInvitation, showFirstKey } from '../first-key.ts'
import { isLoopback, UsageError } from '../options.ts'
import type { ServeOptions } from './options.ts'
import { inheritedSockets } from './systemd.ts'

/** Time limits for receiving headers, receiving the whole request, and sending the response. */
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000, sendMs: 30_000 }

/** Memory for requests and responses of slow clients, so that the process stays below 512 MiB. */
const HELD_BYTES = 67_108_864

/** A database that was named (`isNamed`) must exist unless --create is given. Throws UsageError or CommandFailed. */
export function toConfig(cli: Cli, options: ServeOptions, log: Logger, isNamed: boolean): ServiceConfig {
  const database = cli.databaseUrl(options.database)
  const { port, host, backupDir, publish } = options
  if (port === options.operatorPort && port !== 0 && host === options.operatorHost) {
    throw new UsageError(`--port and --operator-port are both ${port}. Choose different ports.`)
  }
  return Object.freeze({
    ...options,
    database,
    removedSettings: cli.removedSettings.map(({ sentence }) => sentence),
    formerShelterName: cli.removedSettings.find(({ name }) => name === 'shelter-name')?.value,
    mustExist: isNamed && options.create !== true,
    sockets: inheritedSockets(cli.io.env, options.operatorPort),
    office: toOffice(cli, options, log),
    bufferBytes: HELD_BYTES,
    trustProxy: options.trustProxy ?? [],
    tls: readTls(cli, options),
    showFirstKey: options.firstKey
      ? (secret, baseUrl) => showFirstKey(secret, { cli, baseUrl, database, log })
      : undefined,
    pages: options.pages ?? false,
    pageLinks: options.pageLinks ?? false,
    corsOrigins: options.corsOrigin ?? [],
    backups: backupDir === undefined ? undefined : { folder: cli.path(backupDir), ...options.backups },
    page: publish === undefined ? undefined : cli.path(publish),
    timeouts: TIMEOUTS,
  })
}

export function operatorPortUsesTls({ office, operatorHost, tlsCert }: ServeOptions): boolean {
  return office === true && !isLoopback(operatorHost) && tlsCert !== undefined
}

/** Throws UsageError if passphrases would cross the network unencrypted. */
function toOffice(cli: Cli, options: ServeOptions, log: Logger): OfficeConfig | undefined {
  const { officeUrl: url, operatorPort, operatorHost } = options
  if (!options.office) return undefined
  if (operatorPort === undefined) throw new UsageError('--office needs --operator-port.')
  const isTls = operatorPortUsesTls(options)
  const isSafe = isLoopback(operatorHost) || url?.startsWith('https:') || (isTls && url === undefined)
  if (!isSafe) {
    throw new UsageError(
      `The office needs TLS at ${operatorHost}. Set --tls-cert and --tls-key, or --office https://… behind a TLS proxy, or turn it off with --no-office.`,
    )
  }
  const user = newPersonName(userName())
  const name = 'name' in user ? user.name : 'operator'
  const database = cli.databaseUrl(options.database)
  const show = (link: string) => showFirstInvitation(link, { cli, name, database, log })
  return { url, isTls, first: options.firstKey ? { name, show } : undefined }
}

export function readTls(cli: Cli, { tlsCert: certFile, tlsKey: keyFile }: ServeOptions): ServiceConfig['tls'] {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined || keyFile === undefined) {
    throw new UsageError('TLS needs both --tls-cert and --tls-key.')
  }
  return { cert: cli.read(certFile, '--tls-cert'), key: cli.read(keyFile, '--tls-key') }
}
