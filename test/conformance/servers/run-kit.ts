/** The kit against a server of this folder, both by a clock that only a wait moves on, so that no test waits. */
import { type ConformanceOptions, type Progress, type Report, runConformance } from '../../../conformance/src/index.ts'
import { type Change, KEY, LIMITED_KEY, startServer } from './reference.ts'

const START_MS = Date.UTC(2027, 0, 15, 9, 30, 12)
/** A machine under load is no finding; and where a server hangs, that ends the wait (see `runKit`). */
export const PATIENT_TIMEOUTS = { httpMs: 20_000, rawMs: 20_000 }

export interface KitRun
  extends Pick<
    ConformanceOptions,
    'only' | 'ids' | 'skip' | 'thorough' | 'limitedKey' | 'category' | 'maxMinutes' | 'signal'
  > {
  readonly change?: Change
  readonly startMs?: number
  readonly key?: string
  readonly onProgress?: (progress: Progress) => void
  /** Called with the report while the server is still there. */
  readonly after?: (report: Report) => Promise<void>
}

/** The ids of the cases that failed. */
export function failedIn({ results }: Report): string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : []))
}

export async function runKit(run: KitRun = {}): Promise<Report> {
  const { change = () => ({}), startMs = START_MS, key = KEY, after = async () => {}, ...options } = run
  let nowMs = startMs
  const clock = (): number => nowMs
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms
  }
  /** Ends the time of each request under way. */
  const pending = new Set<() => void>()
  const timer = (end: () => void, ms: number) => {
    const timeout = setTimeout(end, ms)
    pending.add(end)
    return () => {
      clearTimeout(timeout)
      pending.delete(end)
    }
  }
  const endsWaits: Change = ({ fate }) => ({
    fate: (incoming) => {
      const decided = fate(incoming)
      if (decided === 'hung') for (const end of pending) end()
      return decided
    },
  })
  const server = await startServer(clock, change, endsWaits)
  try {
    const { baseUrl } = server
    // Time costs nothing here.
    const more = { maxMinutes: 60, timeouts: { ...PATIENT_TIMEOUTS, timer }, clock, sleep }
    const report = await runConformance({ limitedKey: LIMITED_KEY, thorough: true, ...more, ...options, baseUrl, key })
    await after(report)
    return report
  } finally {
    await server.close()
  }
}
