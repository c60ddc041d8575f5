/** What a request's target says before any route is looked at: whether it is well formed, and whether it names a single animal. */
import { BASE_PATH, GET_PET_REMOVAL_MS, GET_PET_SUNSET } from '../contract/operations.ts'

const PETS_PATH = `${BASE_PATH}/pets`
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
  const path = (end === -1 ? target : target.slice(0, end)).replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

export function isPetPath(path: string): boolean {
  return path.length > PET_PREFIX.length && path.startsWith(PET_PREFIX) && !path.includes('/', PET_PREFIX.length)
}

/** The methods of a path that the interface knows (R7, R9, R11), or undefined for any other path. */
export function methodsOf(path: string, nowMs: number): string | undefined {
  if (path === PETS_PATH) return 'GET, HEAD, POST'
  return isPetPath(path) && nowMs < GET_PET_REMOVAL_MS ? 'GET, HEAD' : undefined
}

/** What every answer at getPet's path carries until it is removed (R12, O21); `listUrl` is where its replacement lives. */
export function deprecationHeaders(listUrl: string): readonly string[] {
  return ['Sunset', GET_PET_SUNSET, 'Link', `<${listUrl}>; rel="successor-version"`]
}
