/** A progress bar on a terminal, which is removed however the command ends. */
import { Presets, SingleBar } from 'cli-progress'
import type { Cli } from './cli.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface Progress {
  advance(by: number): void
  stop(): void
}

/** `total` is 0 if it is not known. */
export function startProgress(cli: Cli, what: string, total: number): Progress {
  const format = total > 0 ? `${what} {bar} {percentage}% | {eta_formatted} left` : `${what} {value}`
  const bar = new SingleBar(
    { format, noTTYOutput: false, clearOnComplete: true, etaBuffer: 100 },
    Presets.shades_classic,
  )
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    bar.stop()
  }
  const interrupt = (signal: NodeJS.Signals) => {
    // A command with its own handler continues; any other ends.
    const isHandled = process.listenerCount(signal) > 1
    stop()
    if (!isHandled) process.kill(process.pid, signal)
  }
  if (cli.showsProgress) {
    // Runs before listeners added with `once`.
    for (const signal of SIGNALS) process.prependListener(signal, interrupt)
    bar.start(total, 0)
  }
  return { advance: (by) => bar.increment(by), stop }
}
