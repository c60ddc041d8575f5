/** Why the service cannot start, as a sentence that says what to do. */

import { holderOf } from '../../service/port-holder.ts'
import type { ServiceConfig } from '../../service/service.ts'
import { CommandFailed } from '../options.ts'

/** Of a port that cannot listen; other errors are returned unchanged. */
export function explainStartFailure(error: unknown, config: ServiceConfig): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? error.port : config.port
  const name = 'hostname' in error ? error.hostname : undefined
  const isOperators = name === undefined ? port === config.operatorPort : name !== config.host
  const setting = isOperators
    ? 'operator port with --operator-port or PETS_OPERATOR_PORT'
    : 'public port with --port or PETS_PORT'
  switch (error.code) {
    case 'EADDRINUSE':
      return new CommandFailed(
        `Port ${port} is in use by ${holderOf(Number(port)) ?? 'another program'}; stop that one, or choose another ${setting}.`,
      )
    case 'EACCES':
      if (!('syscall' in error) || error.syscall !== 'listen') return error
      return new CommandFailed(`Port ${port} may not be used by this user; choose another ${setting}, from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const [host, flag] = isOperators ? [config.operatorHost, '--operator-port HOST:PORT'] : [config.host, '--host']
      return new CommandFailed(`The address ${host} is not one of this machine; give another ${flag}.`)
    }
    case 'EINVAL':
      return config.sockets === undefined
        ? error
        : new CommandFailed('What was handed over by LISTEN_FDS is no socket; see ListenStream= of pets.socket.')
    default:
      return error
  }
}
