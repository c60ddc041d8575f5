/** A progress bar on stderr if stderr is a terminal; nothing otherwise. */
import { Presets, SingleBar } from 'cli-progress'

export interface Progress {
  advance(by: number): void
  stop(): void
}

/** `total` in the unit of `advance`; 0 if it is not known. */
export function startProgress(what: string, total: number): Progress {
  const format = total > 0 ? `${what} {bar} {percentage}% | {eta_formatted} left` : `${what} {value}`
  const bar = new SingleBar(
    { format, noTTYOutput: false, clearOnComplete: true, etaBuffer: 100 },
    Presets.shades_classic,
  )
  if (process.stderr.isTTY) bar.start(total, 0)
  return {
    advance: (by) => bar.increment(by),
    stop: () => bar.stop(),
  }
}
