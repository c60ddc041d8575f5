/** Explains why the service cannot start, and what to do. */
import { holderOf } from '../../service/port-holder.ts'
import type { ServiceConfig } from '../../service/service.ts'
import { CommandFailed } from '../options.ts'

/** Returns errors that are not about ports unchanged. */
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
        `Port ${port} is in use by ${holderOf(Number(port)) ?? 'another program'}. Stop it, or choose another ${setting}.`,
      )
    case 'EACCES':
      if (!('syscall' in error) || error.syscall !== 'listen') return error
      return new CommandFailed(`This user cannot open port ${port}. Choose another ${setting}, 1024 or higher.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const [host, flag] = isOperators ? [config.operatorHost, '--operator-port HOST:PORT'] : [config.host, '--host']
      return new CommandFailed(`This machine does not have the address ${host}. Choose another ${flag}.`)
    }
    case 'EINVAL':
      return config.sockets === undefined
        ? error
        : new CommandFailed('LISTEN_FDS does not hand over sockets. See ListenStream= in pets.socket.')
    default:
      return error
  }
}
