/** Tables and times as a terminal shows them. */

/**
 * Writes a table page by page. Each column is as wide as its widest cell so far. The headings stand above the first
 * page.
 */
export function tableOf(headings: readonly string[]): (rows: readonly (readonly string[])[]) => string {
  let widths = headings.map(() => 0)
  let before: (readonly string[])[] = [headings]
  return (rows) => {
    const all = [...before, ...rows]
    before = []
    widths = widths.map((width, column) => Math.max(width, ...all.map((row) => row[column]?.length ?? 0)))
    return all
      .map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .map((line) => `${line}\n`)
      .join('')
  }
}

export function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

/** To the minute, in UTC; `-` when there is none. */
export function toMinute(ms: number | undefined): string {
  return toIso(ms)?.slice(0, 16).concat('Z') ?? '-'
}
