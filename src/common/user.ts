/** The user that runs this process, who may have no name and no home folder, as in a container or under `setpriv`. */
import { userInfo } from 'node:os'

export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
