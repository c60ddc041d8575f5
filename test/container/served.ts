/** A service that was started in a container: when it serves, and its process. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { until } from '../support/until.ts'

/** Reads the service's log until it serves; resolves to its process, which the machine and the container both see. */
export async function served(child: ChildProcess): Promise<number> {
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  }
  const serving = () => lines.find((line) => line.includes('"msg":"serving'))
  await until('it serves', async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${lines.join('\n')}`)
    return serving() !== undefined
  })
  const { pid } = JSON.parse(serving() ?? '') as { pid: number }
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
