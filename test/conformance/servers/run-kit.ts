/** Runs the kit against a server of this folder, by a clock that only waits advance. */
import { type ConformanceOptions, type Report, runConformance } from '../../../conformance/src/index.ts'
import { type Change, KEY, LIMITED_KEY, startServer } from './reference.ts'

const START_MS = Date.UTC(2027, 0, 15, 9, 30, 12)

export interface KitRun extends Partial<Omit<ConformanceOptions, 'baseUrl' | 'clock' | 'sleep'>> {
  readonly change?: Change
  readonly startMs?: number
  /** Called while the server still runs. */
  readonly after?: (report: Report) => Promise<void>
}

export function failedIn({ results }: Report): string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : []))
}

export async function runKit({ change, startMs = START_MS, after, ...options }: KitRun = {}): Promise<Report> {
  let nowMs = startMs
  const clock = (): number => nowMs
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms
  }
  await using server = await startServer(clock, change)
  const { baseUrl } = server
  const more = { key: KEY, limitedKey: LIMITED_KEY, maxMinutes: 600, clock, sleep }
  const report = await runConformance({ ...more, ...options, baseUrl })
  await after?.(report)
  return report
}
