/** The kit against a server of this folder, both by a clock that only a wait moves on, so that no test waits. */
import { type ConformanceOptions, type Progress, type Report, runConformance } from 'pet-adoption-conformance'
import type { Change } from './mutate.ts'
import { CORRECT, KEY, LIMITED_KEY, startServer } from './reference.ts'

const START_MS = Date.UTC(2027, 0, 15, 9, 30, 12)
/**
 * Of real time; long, for a machine under load is no finding. Those that run servers which do not answer give a shorter
 * one.
 */
const PATIENCE = { httpMs: 20_000, rawMs: 20_000 }

export interface KitRun
  extends Pick<
    ConformanceOptions,
    'only' | 'ids' | 'skip' | 'thorough' | 'limitedKey' | 'category' | 'maxMinutes' | 'signal' | 'patience'
  > {
  readonly change?: Change
  readonly startMs?: number
  readonly key?: string
  readonly onProgress?: (progress: Progress) => void
  /** Called with the report while the server is still there. */
  readonly after?: (report: Report) => Promise<void>
}

export async function runKit(run: KitRun = {}): Promise<Report> {
  const { change: given = {}, startMs = START_MS, key = KEY, after = async () => {}, ...options } = run
  const change = typeof given === 'function' ? given() : given
  let nowMs = startMs
  const clock = (): number => nowMs
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms
  }
  const server = await startServer({ ...CORRECT, ...change }, clock)
  try {
    const { baseUrl } = server
    // Time costs nothing here.
    const more = { maxMinutes: 60, patience: PATIENCE, clock, sleep }
    const report = await runConformance({ limitedKey: LIMITED_KEY, thorough: true, ...more, ...options, baseUrl, key })
    await after(report)
    return report
  } finally {
    await server.close()
  }
}
