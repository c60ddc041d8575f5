/** The opaque cursor of the operator's page links (O6): where the page before ended, in a form nobody is tempted to compute. */
import { parseInt64 } from '../contract/int64.ts'

export function toCursor(lastId: string): string {
  return Buffer.from(lastId).toString('base64url')
}

/** The id in a cursor, or undefined when it is not one of ours. */
export function fromCursor(cursor: string): bigint | undefined {
  const id = parseInt64(Buffer.from(cursor, 'base64url').toString())
  return id !== undefined && toCursor(id.toString()) === cursor ? id : undefined
}
