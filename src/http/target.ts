/** What a request's target says: whether it is well formed, its path and query, and which path of the interface it is. */
import { BASE_PATH, GET_PET_SUNSET } from '../contract/operations.ts'

export const PETS_PATH = `${BASE_PATH}/pets`
/** Named by the interface, but not defined there (O2). */
export const ORDERS_PATH = `${BASE_PATH}/store/orders`
const PET_PREFIX = `${PETS_PATH}/`
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i

/** The longest target that is read; RFC 9110 asks for 8,000 octets at least. */
export const MAX_TARGET_LENGTH = 8_192

export function hasBrokenEscape(target: string): boolean {
  return target.includes('%') && BROKEN_ESCAPE.test(target)
}

/** The decoded path of a target, or the path as it stands where its escapes are no UTF-8. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  const plain = end === -1 ? target : target.slice(0, end)
  const path = plain.startsWith('/') ? plain : plain.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** What follows the `?`, as it stands. */
export function queryOf(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/** The last segment of getPet's path, or undefined for any other path. */
export function petIdOf(path: string): string | undefined {
  if (path.length === PET_PREFIX.length || !path.startsWith(PET_PREFIX)) return undefined
  return path.includes('/', PET_PREFIX.length) ? undefined : path.slice(PET_PREFIX.length)
}

/** What every answer at getPet's path carries until it is removed (R12, O21); `listUrl` is where its replacement lives. */
export function deprecationHeaders(listUrl: string): readonly string[] {
  return ['Sunset', GET_PET_SUNSET, 'Link', `<${listUrl}>; rel="successor-version"`]
}
