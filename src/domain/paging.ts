/**
 * The opaque cursor of page links (O6): where the previous page ended, encoded so that clients are not tempted to
 * compute it.
 */
import { parseInt64 } from '../contract/int64.ts'

export function toCursor(lastId: string): string {
  return Buffer.from(lastId).toString('base64url')
}

/** The id in a cursor, or undefined if it is not one of our cursors. */
export function fromCursor(cursor: string): bigint | undefined {
  const id = parseInt64(Buffer.from(cursor, 'base64url').toString())
  return id !== undefined && toCursor(id.toString()) === cursor ? id : undefined
}
