/** The service's log: lines of JSON for machines and, on a terminal, lines for people. */
import pino, { type Logger } from 'pino'

/**
 * `numbers`: levels and times as pino's own numbers, for tools that expect them. Written to the standard stream, since merely
 * opening pino's own destination makes every request of the process dearer (docs/performance.md).
 */
export async function openLog(level: string, numbers: boolean): Promise<Logger> {
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return pino({ level }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }))
  }
  if (numbers) return pino({ level }, process.stdout)
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, formatters, timestamp: pino.stdTimeFunctions.isoTime }, process.stdout)
}
