/** `pets serve`: starts the service and prints where it serves. */
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { systemClock } from '../../../common/system-clock.ts'
import { VERSION } from '../../../common/version.ts'
import { type Service, startService } from '../../../service/service.ts'
import { databaseFile } from '../../../store/open.ts'
import { describeUrl } from '../../../store/url.ts'
import { examples } from '../../examples.ts'
import { openLog } from '../../log.ts'
import { mistypedVariables } from '../../mistyped.ts'
import { readTls, toConfig } from '../../serve/config.ts'
import { explained } from '../../serve/explained.ts'
import { type ServeOptions, withServeOptions } from '../../serve/options.ts'
import { supervisorOf } from '../../serve/systemd.ts'
import { applySettings } from '../../settings.ts'
import { endOnFault, reloadOnSignal, stopOnSignal } from '../../signals.ts'

export const serve = withServeOptions(new Command('serve').description('Run the service.'))
  .addHelpText(
    'after',
    examples(
      'pets serve --port 8080 --database sqlite:data/pets.db',
      'pets serve --office --operator-port 8081 --backup-dir /backups --backup-every 1h',
      'pets serve --database postgres://pets@db/pets --counters redis://cache',
    ),
  )
  .hook('preAction', (command) => applySettings(command))
  .action(async (options: ServeOptions) => {
    const log = await openLog(options.logLevel)
    const config = toConfig(options, log)
    for (const sentence of mistypedVariables()) log.warn(sentence)
    const running: { service?: Service; opening?: Promise<Service> } = {}
    const supervisor = supervisorOf(process.env, log, systemClock)
    endOnFault(running, log, systemClock)
    const isStopping = stopOnSignal(running, supervisor.stopping, log, systemClock)
    const reloadIfAsked = reloadOnSignal(running, () => readTls(options.tlsCert, options.tlsKey), log)
    const file = databaseFile(config.database)
    const isNew = file !== undefined && !existsSync(file)
    const starting = startService(config, log, systemClock, () => {
      running.opening = starting
    })
    const service = await starting.catch((error: unknown) => {
      throw explained(error, config)
    })
    if (isStopping()) return
    running.service = service
    supervisor.ready()
    reloadIfAsked()
    const { baseUrl, operatorUrl, officeUrl } = service
    const database = file === undefined ? describeUrl(config.database) : `sqlite:${file}`
    log.info({ baseUrl, operatorUrl, version: VERSION, node: process.version, database }, `serving ${baseUrl}`)
    if (config.pages) log.info(`pages at ${new URL('/', baseUrl)}`)
    if (officeUrl !== undefined) log.info(`office at ${officeUrl}/`)
    await service.count().then(
      (found) => log.info(found, 'found in the database'),
      (error: Error) => log.warn(`what the database holds cannot be counted: ${error.message}`),
    )
    // In the wrong folder the service starts empty. With a first key that is what is wanted.
    if (isNew) log[options.firstKey ? 'info' : 'warn'](`there was no database at ${file}, so a new one was made`)
  })
