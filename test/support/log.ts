/** A log that is kept in memory, as text and as objects. */
import pino, { type LoggerOptions } from 'pino'

export function keptLog<Line = Record<string, unknown>>(options: LoggerOptions = {}) {
  let written = ''
  const lines: Line[] = []
  const write = (line: string) => {
    written += line
    lines.push(JSON.parse(line))
  }
  const log: pino.Logger = pino(options, { write })
  return { log, lines, text: () => written }
}
