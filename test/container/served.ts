/** A service that was started in a container: its process, once it serves. */
import type { RunningCommand } from '../support/service.ts'

/** Resolves to its process, which the machine and the container both see. */
export async function served({ says }: RunningCommand): Promise<number> {
  const pid = Number((await says(/"pid":(\d+),.*"msg":"serving/))[1])
  process.once('exit', () => endNow(pid))
  return pid
}

export function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
