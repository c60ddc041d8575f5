/** A service that was started in a container: its process, once it serves. */
import type { ChildProcess } from 'node:child_process'
import { untilServing } from '../support/service.ts'

/** Resolves to its process, which the machine and the container both see. */
export async function served(child: ChildProcess): Promise<number> {
  const { output } = await untilServing(child)
  const pid = Number(/"pid":(\d+),.*"msg":"serving/.exec(output())?.[1])
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
