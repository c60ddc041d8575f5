/** The process of a service in a container. */
import type { RunningCommand } from '../support/service.ts'

/** Resolves to the process id, once the service serves. The machine and the container share it. */
export async function served({ says }: RunningCommand): Promise<number> {
  const pid = Number((await says(/"pid":(\d+),.*"msg":"serving/))[1])
  process.once('exit', () => endNow(pid))
  return pid
}

export function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
