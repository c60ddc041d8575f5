/** `pets serve`: starts the service and reports where it serves. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { printableWhenParsed } from '../../../common/printable.ts'
import { describeUrl } from '../../../common/url.ts'
import { VERSION } from '../../../common/version.ts'
import type { Service } from '../../../service/service.ts'
import { databaseFile } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { readTls, toConfig } from '../../serve/config.ts'
import { addServeOptions, resolveOptions, type ServeOptions } from '../../serve/options.ts'
import { explainStartFailure } from '../../serve/start-failure.ts'
import { systemdNotifier } from '../../serve/systemd.ts'
import { handleSignals } from '../../signals.ts'

export const serve = command({
  about: 'Run the service.',
  examples: [
    'pets serve --port 8080 --database sqlite:data/pets.db',
    'pets serve --office --operator-port 8081 --backup-dir /backups --backup-every 1h',
    'pets serve --database postgres://pets@db/pets --counters redis://cache',
  ],
  takes: addServeOptions,
  database: false,
  action: ({ cli, command }) => run(cli, command),
})

async function run(cli: Cli, command: Command): Promise<void> {
  const options = withFolders(cli, command, resolveOptions(command.opts()))
  const isNamed = command.getOptionValueSource('database') !== 'default'
  const { clock, env } = cli.io
  const log = await openLog(cli, options)
  const config = toConfig(cli, options, log, isNamed)
  for (const { sentence } of cli.removedSettings) log.warn(sentence)
  const running: { service?: Service } = {}
  const supervisor = systemdNotifier(env, log, clock)
  const readNow = () => readTls(cli, options)
  const signals = handleSignals({ running, log, clock, onStop: supervisor.stopping, readTls: readNow })
  const file = databaseFile(config.database)
  const isNew = file !== undefined && !existsSync(file)
  const { startService } = await import('../../../service/service.ts')
  const service = await startService(config, log, clock, () => {
    // A warning, because a service started in the wrong folder is empty.
    if (isNew) log[options.firstKey ? 'info' : 'warn'](`there was no database at ${file}, so a new one was created`)
  }).catch((error: unknown) => {
    signals.removeListeners()
    throw explainStartFailure(error, config)
  })
  running.service = service
  supervisor.ready()
  signals.reloadIfAsked()
  const { baseUrl, operatorUrl, listensAt, officeUrl } = service
  const addresses = {
    baseUrl,
    listensAt: config.publicUrl && listensAt,
    operatorUrl,
    office: officeUrl && `${officeUrl}/`,
    pages: config.pages ? new URL('/', baseUrl) : undefined,
  }
  const database = file === undefined ? describeUrl(config.database) : `sqlite:${file}`
  log.info({ ...addresses, database, version: VERSION, node: process.version }, `serving ${baseUrl}`)
  await service.count().then(
    (counts) => log.info(counts, 'found in the database'),
    (error: Error) => log.warn(`the contents of the database cannot be counted: ${error.message}`),
  )
  const next = '`pets import FILE --dry-run` checks your list of animals, `pets --help` lists the commands'
  if (cli.io.stdout.isTTY) cli.hint(`Next: ${next}. Ctrl-C stops it.\n`)
}

/** Moves the folders of `npm start` next to the database file. PostgreSQL has none. */
function withFolders(cli: Cli, command: Command, options: ServeOptions): ServeOptions {
  const file = databaseFile(cli.databaseUrl(options.database))
  const placed = (name: 'backupDir' | 'publish') => {
    const folder = options[name]
    if (folder === undefined || command.getOptionValueSource(name) !== 'default') return folder
    return file && join(dirname(file), folder)
  }
  return { ...options, backupDir: placed('backupDir'), publish: placed('publish') }
}

/** Uses the standard stream, because opening pino's own destination makes every request slower. */
async function openLog({ io: { stdout } }: Cli, { logLevel: level, office, officeUrl }: ServeOptions): Promise<Logger> {
  const { default: pino } = await import('pino')
  if (stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    const hooks = { streamWrite: printableWhenParsed }
    // The message already contains the addresses.
    const ignore = `pid,hostname,baseUrl${office && officeUrl === undefined ? ',operatorUrl' : ''}`
    return pino({ level, hooks }, pretty({ sync: true, ignore, translateTime: 'SYS:HH:MM:ss o' }))
  }
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, formatters, timestamp: pino.stdTimeFunctions.isoTime }, stdout.log ?? stdout)
}
