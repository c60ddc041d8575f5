/** The service's log: JSON lines for programs and, on a terminal, lines for people. */
import pino, { type Logger } from 'pino'

/**
 * Levels are words and times ISO 8601. Writes to the standard stream, because merely opening pino's own destination
 * makes every request of the process slower (docs/performance.md).
 */
export async function openLog(level: string): Promise<Logger> {
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return pino({ level }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss o' }))
  }
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, formatters, timestamp: pino.stdTimeFunctions.isoTime }, process.stdout)
}
