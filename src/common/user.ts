/** The user of this process, who might have no name and no home folder, as in a container. */
import { userInfo } from 'node:os'

export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
