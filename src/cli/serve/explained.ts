/** Why a port of the service could not listen, as a sentence that says what to do. */
import type { ServiceConfig } from '../../service/service.ts'
import { CommandFailed } from '../options.ts'

/** The error itself where nothing better is known. */
export function explained(error: unknown, config: ServiceConfig): unknown {
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
        `Port ${port} is in use by another program; stop that one, or choose another ${setting}.`,
      )
    case 'EACCES':
      return new CommandFailed(`Port ${port} may not be used by this user; choose another ${setting}, from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const host = isOperators ? config.operatorHost : config.host
      return new CommandFailed(
        `The address ${host} is not one of this machine; give another ${isOperators ? '--operator-port HOST:PORT' : '--host'}.`,
      )
    }
    case 'EINVAL':
      return config.sockets === undefined
        ? error
        : new CommandFailed('What was handed over by LISTEN_FDS is no socket; see ListenStream= of pets.socket.')
    default:
      return String(error.code).startsWith('ERR_OSSL') || String(error.code).startsWith('ERR_SSL')
        ? new CommandFailed(
            'The files given as --tls-cert and --tls-key are not a PEM certificate and its private key.',
          )
        : error
  }
}
