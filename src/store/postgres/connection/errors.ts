/** What a failure of PostgreSQL or the connection means for a request, for the database, and for people. */
import { DatabaseError } from 'pg'
import { codeOf } from '../../../common/errors.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'

/** Codes of OpenSSL, and Node's code for a certificate of another name. */
const CERTIFICATE_REFUSED = /^(?:ERR_TLS_CERT_ALTNAME_INVALID|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|CERT_\w+)$/

export class NoAnswer extends Error {
  /** Settles when the statement has ended. */
  readonly ended: Promise<unknown> | undefined

  constructor(why: string, ended?: Promise<unknown>) {
    super(why)
    this.ended = ended
  }
}

/** The SQLSTATE of the server. A failure of the connection has none. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** Unreachable, shutting down or starting up, or so reported by a pooler (class 08). */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(?:08|57P0)/.test(error.code ?? '')
  const isOurFault = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
  return error instanceof Error && !isOurFault && !(error instanceof StoreUnusable || error instanceof StoreUnavailable)
}

/** A deadlock or serialisation failure: nothing was done, and the transaction can be repeated. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40001' || state === '40P01'
}

export function leavesConnectionUsable(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR'
}

/** A failure of the engine as StoreUnavailable; other errors stay. `wasWriting`: a statement might have been done. */
export function failure(error: unknown, { wasWriting = false, isReported = false } = {}): unknown {
  if (error instanceof StoreUnavailable) return error
  const isLost = isUnreachable(error)
  if (!isLost && !/^(?:25006|25P0[34]|28|40|42501|53|55|57|58|XX)/.test(sqlState(error) ?? '')) return error
  const isUnknown = wasWriting && (isLost || sqlState(error) === '40003')
  const outcome = isUnknown ? 'unknown' : 'nothing was done'
  const ended = error instanceof NoAnswer ? error.ended : undefined
  return new StoreUnavailable(reason(error), { cause: error, isReported: isReported || isLost, outcome, ended })
}

export function reason(error: unknown): string {
  const cause = error instanceof StoreUnavailable && error.cause !== undefined ? error.cause : error
  const text = cause instanceof AggregateError ? cause.errors.map(message).join('; ') : message(cause)
  switch (sqlState(cause)) {
    case '25006':
      return 'it only reads: it is a standby, or a failover has not finished.'
    case '28P01':
    case '28000':
      return 'it refuses the user or the password; correct them in --database.'
    case '3D000':
      return `there is no such database (${text}); create it, or correct the name in --database.`
    case '42501':
      return `the user lacks a privilege (${text}); grant it to the user, or name the owner of the database in --database.`
    case '55P03':
      return 'it is locked: another session, such as an import, holds what this one needs; try again when that has ended.'
    case '53300':
      return 'it has no connection left; allow more, or put a pooler in front of it.'
    case undefined:
      if (text === 'Query read timeout') return 'it gave no answer in time.'
      if (cause instanceof StoreUnavailable) return cause.reason
      if (CERTIFICATE_REFUSED.test(codeOf(cause) ?? '')) {
        return `its certificate is not trusted (${text.replace(/;.*/, '')}); name the CA by sslrootcert=FILE in the address.`
      }
      return cause instanceof NoAnswer ? text : `it cannot be reached (${text}).`
    default:
      return text.endsWith('.') ? text : `${text}.`
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
