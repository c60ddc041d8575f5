/** The kit against a server of this folder, both by a clock that only a wait moves on, so that no test waits. */
import type { Report } from '../../../src/conformance/report.ts'
import { type ConformanceOptions, type Progress, runConformance } from '../../../src/conformance/run.ts'
import { type Behaviour, CORRECT, KEY, LIMITED_KEY, startServer } from './server.ts'

const START_MS = Date.UTC(2027, 0, 15, 9, 30, 12)

export interface KitRun extends Pick<ConformanceOptions, 'only' | 'limitedKey'> {
  readonly change?: Partial<Behaviour>
  readonly startMs?: number
  readonly key?: string
  readonly onProgress?: (progress: Progress) => void
  /** Called with the report while the server is still there. */
  readonly after?: (report: Report) => Promise<void>
}

export async function runKit(run: KitRun = {}): Promise<Report> {
  const { change = {}, startMs = START_MS, key = KEY, after = async () => {}, ...options } = run
  let nowMs = startMs
  const clock = (): number => nowMs
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms
  }
  const server = await startServer({ ...CORRECT, ...change }, clock)
  try {
    const { baseUrl } = server
    const report = await runConformance({ limitedKey: LIMITED_KEY, ...options, baseUrl, key, clock, sleep })
    await after(report)
    return report
  } finally {
    await server.close()
  }
}
